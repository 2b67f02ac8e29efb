import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { clone } from '../contestant/application.ts'
import { startOptions } from '../contestant/start-options.ts'
import { median } from '../measure.ts'
import { databaseEnvironment } from './contestants.ts'

/** A walk through all posts in batches of 1,000. */
export interface BatchLine {
  rows: number
  by: string
  rows_per_second: number
  ratio: number
  /** CPU time of the process per 1,000 rows. */
  cpu_us: number
  ratio_of_cpu: number
}

/** The output of a walk. The time begins before the process connects to Postgres. */
interface Walk {
  rows: number
  sum: number
  ms: number
  /** CPU time in milliseconds. */
  cpu: number
}

const PROGRAMS = {
  pg: [join(import.meta.dirname, 'pg-batches.ts')],
  Pergola: [join(import.meta.dirname, '../contestant/start.js'), 'batch'],
}

/** Walks through the posts with `pg` and with Pergola in turn, each time in a process of its own. */
export async function measureBatches(database: string, rounds: number): Promise<BatchLine[]> {
  const walks: Record<keyof typeof PROGRAMS, Walk[]> = { pg: [], Pergola: [] }
  for (let round = 0; round < rounds; round++) {
    walks.pg.push(await walk('pg', database))
    walks.Pergola.push(await walk('Pergola', database))
  }
  const [first] = walks.pg
  const [ours] = walks.Pergola
  if (first?.rows !== ours?.rows || first?.sum !== ours?.sum)
    throw new Error('The walks read different rows.')
  const rows = first?.rows ?? 0
  const middle = (by: keyof typeof PROGRAMS, what: 'ms' | 'cpu') => median(walks[by].map((run) => run[what]))
  return (['pg', 'Pergola'] as const).map((by) => ({
    rows,
    by,
    rows_per_second: Math.round((rows / middle(by, 'ms')) * 1_000),
    ratio: Number((middle('pg', 'ms') / middle(by, 'ms')).toFixed(2)),
    cpu_us: Math.round((middle(by, 'cpu') / rows) * 1_000_000),
    ratio_of_cpu: Number((middle(by, 'cpu') / middle('pg', 'cpu')).toFixed(2)),
  }))
}

// Both programs have the options of `npm start`, because the ratio compares their code.
async function walk(by: keyof typeof PROGRAMS, database: string): Promise<Walk> {
  const { stdout } = await promisify(execFile)(process.execPath, [...startOptions, ...PROGRAMS[by]], {
    cwd: clone,
    env: { ...databaseEnvironment(database), NODE_ENV: 'production' },
  })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Walk
}
