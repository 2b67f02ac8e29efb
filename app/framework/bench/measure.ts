import { performance } from 'node:perf_hooks'
import type { Pool } from 'pg'

/**
 * Returns the median milliseconds of each function. Calls them alternately, so that other load on the machine affects
 * all of them.
 */
export async function takingTurns(
  rounds: number,
  asks: readonly (() => Promise<unknown>)[],
): Promise<number[]> {
  const times = asks.map((): number[] => [])
  for (const ask of asks) await ask()
  for (let round = 0; round < rounds; round++) {
    for (const [place, ask] of asks.entries()) {
      const started = performance.now()
      await ask()
      times[place]?.push(performance.now() - started)
    }
  }
  return times.map(median)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

interface Plan {
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
}

/** Returns the number of 8 kB blocks that Postgres reads for a statement, from its cache or from the disk. */
export async function buffers(pool: Pool, text: string, parameters: unknown[] = []): Promise<number> {
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, buffers, format json) ${text}`,
    parameters,
  )
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
}
