import { median } from '../measure.ts'

/** The results of one program by work, as the benchmark that compares frameworks writes them: one entry per round. */
export interface Results {
  W1: Rounds
  W3: Rounds
  W4: Rounds
  W5: Rounds
  W6: Rounds
  W7: Rounds
  /** Walks through all posts in batches of 1,000: rows per second of the whole process. */
  W8: Record<string, { rate: number }[]>
  /** Seconds from the start of the process to its first answer. */
  W9: Record<string, number[]>
  /** Memory in MiB, a second after the first answer. */
  rest: Record<string, number>
}

/** `rps` are requests per second, `mem` is the memory after the round in MiB. */
type Rounds = Record<string, { rps: number; mem: number }[]>

const WORKS = {
  W6: 'one record, JSON',
  W3: 'first cursor page, JSON',
  W4: 'cursor page at depth, JSON',
  W1: 'page with total, JSON',
  W5: 'list as a page, HTML',
  W7: 'update, JSON',
} as const
const WORK_KEYS = Object.keys(WORKS) as (keyof typeof WORKS)[]

/** The program with which the others are compared. */
const BASE = 'express'

/**
 * Returns the table of docs/performance.md in Markdown, and a sentence with the other figures. `columns` are the headings
 * by the name of a program: `{ express: 'By hand', pergola: 'Pergola' }`. All figures are medians of the rounds.
 */
export function figuresTable(results: Results, columns: Readonly<Record<string, string>>): string {
  const names = Object.keys(columns)
  const rows = WORK_KEYS.map((work) => [
    WORKS[work],
    ...names.map((name) => {
      const speed = speedOf(results[work], name)
      const base = speedOf(results[work], BASE)
      return name === BASE ? Math.round(speed).toLocaleString('en') : `${(speed / base).toFixed(2)} ×`
    }),
  ])
  return `${table([['Requests per second', ...Object.values(columns)], ...rows])}\n\n${others(results)}`
}

const speedOf = (rounds: Rounds, name: string) => median((rounds[name] ?? []).map(({ rps }) => rps))

function others(results: Results): string {
  const start = (name: string) => Math.round(median(results.W9[name] ?? []) * 1_000)
  const rest = (name: string) => Math.round(results.rest[name] ?? Number.NaN)
  const loaded = (name: string) =>
    Math.round(Math.max(...WORK_KEYS.flatMap((work) => (results[work][name] ?? []).map(({ mem }) => mem))))
  const rate = (name: string) => median((results.W8[name] ?? []).map((walk) => walk.rate))
  return (
    `Pergola answers ${start('pergola')} ms after its start (by hand ${start(BASE)} ms), takes ${rest('pergola')} MiB at ` +
    `rest (${rest(BASE)} MiB) and ${loaded('pergola')} MiB after the load (${loaded(BASE)} MiB). A task that reads batches ` +
    `of 1,000 rows reads ${(rate('pergola') / rate(BASE)).toFixed(2)} × the rows per second of a plain loop with \`pg\`, ` +
    'with the starts of both processes.'
  )
}

/** Returns a table whose columns are aligned as Prettier aligns them. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const written = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return written.toSpliced(1, 0, rule).join('\n')
}
