import { setTimeout as sleep } from 'node:timers/promises'
import { expect, type TestContext } from 'vitest'
import { type Figures, recordFigures } from './figures.ts'
import { compareWithStored, type Load, type LoadRequests, PATIENCE, startLoad } from './load.ts'
import { startPulse } from './pulse.ts'
import type { RestartableServer } from '../servers/restartable-server.ts'

/** A server under load, and the bounds of its promises. */
export interface UnderLoad extends LoadRequests {
  /** The servers that must answer `/livez` all the time, and must not end. */
  servers: readonly RestartableServer[]
  /** Returns the keys of all records that the load stored, one for each record. */
  stored: () => Promise<string[]>
}

/**
 * Runs a fault while readers and writers send requests, and records the figures of the test. Begins with fifty
 * acknowledged writes. Measures the seconds from the end of `fault` until reads and writes succeed again; if `fault` returns
 * a longer time, that one counts. Fails if an
 * acknowledged write is missing, if a write is stored twice, if a response was an error that no fault explains or
 * revealed something internal, if a server ended or didn't answer `/livez`, and without recovery within 30 seconds.
 *
 * ```ts
 * it('Postgres is killed', (test) =>
 *   withstand(test, app, async () => {
 *     await postgres.kill()
 *     await postgres.start()
 *   }))
 * ```
 */
export async function withstand(
  test: TestContext,
  { servers, stored, ...requests }: UnderLoad,
  fault: (load: Load) => Promise<number | void>,
): Promise<Figures> {
  const load = startLoad(requests)
  await acknowledgements(load, 50)
  const pulses = servers.map(({ url }) => startPulse(url))
  const before = servers.map((server) => server.megabytes())
  let seconds = Infinity
  try {
    const measured = await fault(load)
    seconds = Math.max(measured ?? 0, await load.recovery())
  } finally {
    await load.stop()
  }
  const silent = await Promise.all(pulses.map((pulse) => pulse.stop()))
  const written = compareWithStored(load.acknowledged, await stored())
  const figures = {
    requests: load.requests,
    failed: load.failed,
    acknowledged: load.acknowledged.length,
    ...written,
    seconds,
    megabytes: servers.map((server, index) => `${before[index]} → ${server.megabytes()}`).join(', '),
  }
  recordFigures(test, figures)
  const output = servers.map((server) => server.output()).join('')
  expect(written, 'acknowledged writes that are missing, and writes that are stored twice').toEqual({
    lost: 0,
    doubled: 0,
  })
  expect(load.problems, 'responses that no fault explains').toEqual([])
  expect(
    requests.secrets.filter((secret) => output.includes(secret)),
    'secrets in the log',
  ).toEqual([])
  expect(silent, 'unanswered requests to /livez').toEqual(servers.map(() => 0))
  expect(
    servers.filter((server) => !server.isRunning()),
    `servers that ended: ${output.slice(-2_000)}`,
  ).toEqual([])
  return figures
}

/** Resolves after a number of further acknowledged writes. Rejects after 30 seconds without one. */
export async function acknowledgements(load: Load, count: number): Promise<void> {
  const enough = load.acknowledged.length + count
  let [last, since] = [load.acknowledged.length, performance.now()]
  while (load.acknowledged.length < enough) {
    await sleep(10)
    if (load.acknowledged.length > last) [last, since] = [load.acknowledged.length, performance.now()]
    if (performance.now() - since > PATIENCE * 1_000)
      throw new Error(
        `No write was acknowledged for ${PATIENCE} seconds. Unexpected responses: ${load.problems.join('; ')}`,
      )
  }
}
