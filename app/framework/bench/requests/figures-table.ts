import type { Name } from './contestants.ts'
import type { Report } from './report.ts'

/** Another framework, measured in another run against a program by hand. */
export interface Peer {
  name: string
  /** Requests per second as multiples of the program by hand, by work. */
  ratios: Record<string, number>
}

/** Returns the table of docs/performance.md in Markdown, and a paragraph with the other figures and the versions. */
export function figuresTable(report: Report, peers: readonly Peer[]): string {
  const works = [...new Set(report.works.map(({ work }) => work))]
  const line = (work: string, name: Name) => report.works.find((one) => one.work === work && one.by === name)
  const header = [
    'Requests per second',
    'By hand',
    'with sessions as rows',
    'Pergola',
    ...peers.map(({ name }) => name),
  ]
  const rows = works.map((work) => [
    work,
    `${line(work, 'by hand')?.requests_per_second.toLocaleString('en')}`,
    ratio(line(work, 'by hand, revocable sessions')?.ratio),
    ratio(line(work, 'Pergola')?.ratio),
    ...peers.map(({ ratios }) => ratio(ratios[work])),
  ])
  return `${table([header, ...rows])}\n\n${processes(report)} ${environment(report)}`
}

const ratio = (value: number | undefined) => (value === undefined ? '' : `${value.toFixed(2)} ×`)

function processes({ processes, batches }: Report): string {
  const [hand, pergola] = (['by hand', 'Pergola'] as const).map((name) =>
    processes.find(({ by }) => by === name),
  )
  const batch = batches.find(({ by }) => by === 'Pergola')
  return (
    `Pergola answers ${pergola?.start_ms} ms after its start (by hand ${hand?.start_ms} ms), takes ` +
    `${pergola?.memory_at_rest_mb} MB at rest (${hand?.memory_at_rest_mb} MB) and ${pergola?.memory_after_load_mb} MB ` +
    `after the load (${hand?.memory_after_load_mb} MB), and reads batches of 1,000 rows at ${batch?.ratio} × the speed ` +
    'of a plain loop with `pg`.'
  )
}

const environment = ({ versions, machine }: Report) =>
  `Measured with Node ${versions['node']}, PostgreSQL ${versions['postgres']}, Express ${versions['express']} and ` +
  `pg ${versions['pg']} on ${machine}.`

/** Returns a table whose columns are aligned as Prettier aligns them. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const written = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return written.toSpliced(1, 0, rule).join('\n')
}
