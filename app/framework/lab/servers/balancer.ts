import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'

/** The servers behind a load balancer. */
export interface Balancer<Server extends { url: string }> {
  /** Returns the next server that was ready at the last check. Throws if none was. */
  next: () => Server
  /** Resolves when this server is ready. */
  untilReady: (server: Server) => Promise<void>
}

/**
 * Balances the requests of a test between servers, as a load balancer does that checks `/readyz` four times a second.
 * Ends when the test file ends.
 */
export async function balancer<Server extends { url: string }>(
  servers: readonly Server[],
): Promise<Balancer<Server>> {
  let turn = 0
  let ready: readonly Server[] = []
  const check = async () => {
    const answers = await Promise.all(servers.map(isReady))
    ready = servers.filter((_, index) => answers[index])
  }
  const ending = new AbortController()
  afterAll(() => ending.abort())
  await check()
  const checks = async () => {
    while (!ending.signal.aborted) {
      await sleep(250)
      await check()
    }
  }
  void checks()
  return {
    next() {
      const server = ready[turn++ % ready.length]
      if (server === undefined) throw new Error('No server is ready.')
      return server
    },
    async untilReady(server) {
      while (!ready.includes(server)) await sleep(20)
    },
  }
}

const isReady = ({ url }: { url: string }) =>
  fetch(`${url}/readyz`, { headers: { Connection: 'close' } }).then(
    ({ status }) => status === 200,
    () => false,
  )
