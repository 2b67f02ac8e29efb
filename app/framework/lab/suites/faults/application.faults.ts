import { setTimeout as sleep } from 'node:timers/promises'
import { acknowledgements, balancer, withstand } from 'pergola/lab'
import { describe, expect, it } from 'vitest'
import { faultBed, requestsOf } from './fault-bed.ts'

const { postgres, server, client, clientOf, load, startServer } = await faultBed()
const second = await startServer()

describe('the application', () => {
  it('is killed and started again, twenty times', async (test) => {
    await withstand(test, { ...load, servers: [] }, async (load) => {
      let longest = 0
      for (let round = 0; round < 20; round++) {
        await acknowledgements(load, 5)
        const killed = performance.now()
        await server.end('SIGKILL')
        await server.start()
        longest = Math.max(longest, await load.recovery(killed))
      }
      return longest
    })
    // The session of the load is valid after all restarts.
    expect((await client.get('/account')).status).toBe(200)
  })

  it('restarts with SIGTERM behind a balancer, one of two processes after the other', async (test) => {
    const clients = [server, second].map((server) => ({
      url: server.url,
      server,
      client: clientOf(server),
    }))
    const balanced = await balancer(clients)
    const requests = requestsOf(() => balanced.next().client)
    const { failed } = await withstand(test, { ...load, ...requests, servers: [] }, async (load) => {
      for (const one of clients) {
        await one.server.end('SIGTERM')
        await one.server.start()
        await balanced.untilReady(one)
        await acknowledgements(load, 50)
      }
    })
    expect(failed, 'requests that failed during a rolling restart').toBe(0)
  })

  it('starts while Postgres is down', async (test) => {
    await withstand(test, { ...load, servers: [] }, async () => {
      await server.end('SIGKILL')
      await postgres.stopImmediately()
      await server.start()
      const statuses = ['/livez', '/readyz', '/account'].map(async (path) => (await client.get(path)).status)
      expect(await Promise.all(statuses)).toEqual([200, 503, 503])
      await sleep(2_000)
      await postgres.start()
    })
    expect(server.isRunning()).toBe(true)
  })
})
