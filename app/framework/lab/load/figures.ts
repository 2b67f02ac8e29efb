import type { TestContext } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'

/** The figures of one case. Those that a case doesn't measure are absent. */
export interface Figures {
  requests: number
  /** Requests with another response than the case expects from a server without faults, or with none. */
  failed: number
  /** Writes with a response of success. */
  acknowledged?: number
  /** Acknowledged writes that are not stored. */
  lost?: number
  /** Writes that are stored twice. */
  doubled?: number
  /** From the end of the fault to the first success of a request that began after it. */
  seconds?: number
  /** The memory of the server before and after, such as `110 → 130`. */
  megabytes?: string
}

declare module 'vitest' {
  interface TaskMeta {
    figures?: Figures
  }
}

/** Stores the figures of a test for the table of `figuresReporter`. Of several calls, the last one counts. */
export function recordFigures({ task }: Pick<TestContext, 'task'>, figures: Figures): void {
  task.meta.figures = figures
}

const COLUMNS: readonly [title: string, value: (figures: Figures) => string | number | undefined][] = [
  ['requests', ({ requests }) => requests],
  ['failed', ({ failed }) => failed],
  ['acknowledged', ({ acknowledged }) => acknowledged],
  ['lost', ({ lost }) => lost],
  ['doubled', ({ doubled }) => doubled],
  ['seconds to recover', ({ seconds }) => seconds?.toFixed(1)],
  ['MB', ({ megabytes }) => megabytes],
]

/**
 * A vitest reporter that prints the figures of the tests as a Markdown table when the run ends. Tests without figures are
 * listed if they failed, and if they skipped themselves with a reason.
 */
export const figuresReporter: Reporter = {
  onTestRunEnd(modules) {
    const rows = modules
      .flatMap(rowsOf)
      .filter(({ state, figures }) => figures !== undefined || !['passed', 'skipped'].includes(state))
    if (rows.length > 0) process.stdout.write(`\n${figuresTable(rows)}\n`)
  },
}

/** A test with its state and its figures. */
export interface FiguresRow {
  name: string
  state: string
  figures: Figures | undefined
}

/** Returns a Markdown table of these rows. Columns without a value in any row are left out. */
export function figuresTable(rows: readonly FiguresRow[]): string {
  const used = COLUMNS.filter(([, value]) =>
    rows.some(({ figures }) => figures && value(figures) !== undefined),
  )
  const lines = [
    ['case', ...used.map(([title]) => title)],
    ...rows.map(({ name, state, figures }) => [
      state === 'passed' ? name : `${name} (${state})`,
      ...used.map(([, value]) => String((figures && value(figures)) ?? '')),
    ]),
  ]
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const [head = [], ...body] = lines.map((line) =>
    line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    ),
  )
  return [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function rowsOf(module: TestModule): FiguresRow[] {
  return [...module.children.allTests()].map((test) => {
    const result = test.result()
    const note = result.state === 'skipped' ? result.note : undefined
    return {
      name: test.fullName,
      state: note === undefined ? result.state : `skipped: ${note}`,
      figures: test.meta().figures,
    }
  })
}
