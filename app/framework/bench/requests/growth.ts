import { Agent, request } from 'node:http'
import { takingTurns } from '../measure.ts'
import type { Session } from './check.ts'
import type { Contestant, Name } from './contestants.ts'
import { load } from './load.ts'
import { DEEP_WORKS, type WorkRequest, WORKS } from './works.ts'

/** A work of one contestant with a number of rows in the table, over one connection. */
export interface GrowthLine {
  rows: number
  work: string
  by: Name
  /** The median time of a request. */
  ms: number
  /**
   * CPU time of the contestant's process per request, including what it uses while it waits for Postgres and for the
   * turns of the others.
   */
  cpu_us: number
}

/** Seconds of each work and contestant. */
const WARM_UP = 2

/** Sends one request after the other, to the contestants in turn. */
export async function measureGrowth(
  contestants: readonly (readonly [Contestant, Session])[],
  { rows, rounds }: { rows: number; rounds: number },
): Promise<GrowthLine[]> {
  const lines: GrowthLine[] = []
  const cpu = () => Promise.all(contestants.map(([contestant]) => contestant.ask('cpu')))
  for (const [work, requests] of Object.entries({ ...WORKS, ...DEEP_WORKS })) {
    const senders = contestants.map(([{ url }, session]) => sender(url, requests(session)))
    for (const [contestant, session] of contestants)
      await load(contestant, [requests(session)], { duration: WARM_UP })
    const before = await cpu()
    const times = await takingTurns(rounds, senders)
    const after = await cpu()
    for (const [place, [{ name }]] of contestants.entries()) {
      const used = ((after[place] ?? 0) - (before[place] ?? 0)) / (rounds + 1)
      lines.push({
        rows,
        work,
        by: name,
        ms: Number((times[place] ?? 0).toFixed(2)),
        cpu_us: Math.round(used),
      })
    }
  }
  return lines
}

/** Returns a function that sends the next one of the requests and resolves with its end. */
function sender(url: string, requests: readonly WorkRequest[]): () => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let turn = 0
  return () =>
    new Promise((resolve, reject) => {
      const { path, body, ...rest } = requests[turn++ % requests.length] as WorkRequest
      const sent = request(url + path, { ...rest, agent }, (response) => {
        response.resume().once('end', () => {
          if (response.statusCode === 200) resolve()
          else reject(new Error(`${path} responds with ${response.statusCode}.`))
        })
      })
      sent.once('error', reject).end(body)
    })
}
