import autocannon from 'autocannon'
import type { Session } from './check.ts'
import type { Contestant } from './contestants.ts'
import type { WorkRequest } from './works.ts'

/** Connections that send requests at the same time. */
export const CONNECTIONS = 8

/** The result of one round of load. */
export interface Round {
  requests: number
  requestsPerSecond: number
  /** CPU time of the contestant's process per request, in microseconds, of all of its threads. */
  cpu: number
}

/**
 * Loads a contestant, over these connections, for a number of seconds or of requests. A connection sends
 * its next request when the response is complete. Throws if a response is not a success.
 */
export async function load(
  contestant: Contestant,
  connections: readonly (readonly WorkRequest[])[],
  end: { duration: number } | { amount: number },
): Promise<Round> {
  await openPool(contestant, connections)
  const waiting = [...connections]
  const cpu = await contestant.ask('cpu')
  const started = performance.now()
  const result = await autocannon({
    ...end,
    url: contestant.url,
    connections: connections.length,
    timeout: 60,
    // Pergola closes a connection after as many requests, which autocannon would not notice.
    reconnectRate: 1_000,
    setupClient: (client) => client.setRequests([...(waiting.shift() ?? [])]),
  })
  const seconds = (performance.now() - started) / 1_000
  const used = (await contestant.ask('cpu')) - cpu
  const requests = result['2xx']
  if (result.non2xx + result.errors > 0) {
    const path = connections[0]?.[0]?.path
    throw new Error(
      `${contestant.name}, ${path}: ${result.errors} errors, and these statuses: ${JSON.stringify(result.statusCodeStats)}`,
    )
  }
  return { requests, requestsPerSecond: requests / seconds, cpu: used / requests }
}

/** Sends one request per connection: `pg` closes a connection to Postgres after ten seconds without use. */
async function openPool(
  { url }: Contestant,
  connections: readonly (readonly WorkRequest[])[],
): Promise<void> {
  await Promise.all(
    connections.map(async ([first]) => {
      if (first !== undefined) await (await fetch(url + first.path, first)).arrayBuffer()
    }),
  )
}

/** Returns the bytes that a contestant allocates in its heap for each of these requests. */
export async function allocatedPerRequest(
  contestant: Contestant,
  connections: readonly (readonly WorkRequest[])[],
  requests: number,
): Promise<number> {
  await contestant.ask('allocating')
  await load(contestant, connections, { amount: requests })
  return (await contestant.ask('allocated')) / requests
}

/** Returns the requests of each connection: those of every eighth session, one request of each session in turn. */
export function connectionsOf(
  sessions: readonly Session[],
  work: (session: Session) => WorkRequest[],
): WorkRequest[][] {
  return Array.from({ length: CONNECTIONS }, (_, connection) =>
    inTurn(sessions.filter((_session, place) => place % CONNECTIONS === connection).map(work)),
  )
}

/** `[[a, b], [c, d]]` → `[a, c, b, d]` */
const inTurn = (lists: readonly WorkRequest[][]): WorkRequest[] =>
  Array.from({ length: Math.max(0, ...lists.map((list) => list.length)) }, (_, turn) =>
    lists.flatMap((list) => list[turn % list.length] ?? []),
  ).flat()
