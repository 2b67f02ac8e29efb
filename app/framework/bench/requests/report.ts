import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { clone } from '../contestant/application.ts'
import { median } from '../measure.ts'
import { chart } from '../chart.ts'
import type { BatchLine } from './batches.ts'
import type { Name } from './contestants.ts'
import type { GrowthLine } from './growth.ts'
import type { Round } from './load.ts'

/** A work of one contestant under load. The ratios compare with `by hand`. */
export interface WorkLine {
  work: string
  by: Name
  requests_per_second: number
  ratio: number
  /** CPU time of the process per request. */
  cpu_us: number
  ratio_of_cpu: number
  /** Allocated in the heap of JavaScript per request. */
  allocated_kb: number
}

/** The start and the memory of a process. */
export interface ProcessLine {
  by: Name
  /** From the start of the process to its first answer, a page of posts. */
  start_ms: number
  /** A second after the first answer. */
  memory_at_rest_mb: number
  memory_after_load_mb: number
}

/** The contents of `requests.json`. */
export interface Report {
  note: string
  versions: Record<string, string>
  machine: string
  /** The posts in the table of `works` and `processes`. */
  rows: number
  users: number
  connections: number
  rounds: number
  seconds_per_round: number
  works: WorkLine[]
  processes: ProcessLine[]
  batches: BatchLine[]
  growth: GrowthLine[]
}

/** The measurements of a work and a contestant. */
export interface Measured {
  rounds: Round[]
  /** Bytes per request. */
  allocated: number
}

/** Returns the lines of a work, with the medians of the rounds. The first contestant is the one to compare with. */
export function workLines(work: string, measured: ReadonlyMap<Name, Measured>): WorkLine[] {
  const [base] = [...measured.values()].map(medians)
  return [...measured].map(([by, one]) => {
    const { speed, cpu } = medians(one)
    return {
      work,
      by,
      requests_per_second: Math.round(speed),
      ratio: rounded(speed / (base?.speed ?? Number.NaN)),
      cpu_us: Math.round(cpu),
      ratio_of_cpu: rounded(cpu / (base?.cpu ?? Number.NaN)),
      allocated_kb: Math.round(one.allocated / 1_024),
    }
  })
}

const medians = ({ rounds }: Measured) => ({
  speed: median(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
  cpu: median(rounds.map(({ cpu }) => cpu)),
})

const rounded = (value: number) => Number(value.toFixed(2))

/** Returns the versions of Node, Postgres and the packages of the contestants. */
export function versionsOf(postgres: string): Record<string, string> {
  const packages = ['express', 'pg', 'iron-session', 'eta', 'autocannon', 'pergola']
  return {
    node: process.versions.node,
    postgres,
    ...Object.fromEntries(packages.map((name) => [name, versionOf(name)])),
  }
}

function versionOf(name: string): string {
  const file = readFileSync(join(clone, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(file) as { version: string }).version
}

/** Returns the name of this machine's processor and its memory. */
export const machine = () => `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB`

/** The works in the chart, and their names there. */
const DRAWN = [
  ['page with total, JSON', 'exact total'],
  ['list as a page, HTML', 'HTML list'],
  ['cursor page at depth, JSON', 'deep cursor'],
]

/** Returns the chart of the growth. */
export function growthChart(growth: readonly GrowthLine[]): string {
  const lines = DRAWN.flatMap(([work, title], colour) =>
    (['by hand', 'Pergola'] as const).map((by) => ({
      name: by === 'Pergola' ? `${title}` : `${title}, by hand`,
      colour,
      dashed: by === 'by hand',
      points: growth
        .filter((line) => line.work === work && line.by === by)
        .map(({ rows, ms }) => ({ x: rows, y: ms })),
    })),
  )
  const largest = lines.map(({ name, points }) => `${name}: ${points.at(-1)?.y} ms`).join(', ')
  return chart({
    title: 'Time of a request by the number of rows',
    description: `Milliseconds on logarithmic axes, one request after the other. With the most rows, ${largest}.`,
    xLabel: 'rows in the table',
    yLabel: 'milliseconds, median',
    lines,
  })
}
