import { randomBytes } from 'node:crypto'
import { freePort, ownPostgres, withstand } from 'pergola/lab'
import { TestClient } from 'pergola/testing'
import { describe, expect, it, vi } from 'vitest'
import { requestsOf } from '../faults/fault-bed.ts'
import { newcomerOf, prepare, processes, titlesOn } from './cluster-bed.ts'
import { haproxy, pgbouncer, POSTGRES_15 } from './debian-programs.ts'

const secret = randomBytes(32).toString('hex')
const cells = [await cell('eu'), await cell('us')] as const
const [eu, us] = cells
const replica = await eu.postgres.replica()
const servers = await processes({
  DATABASE__SHARDS: JSON.stringify([
    { name: 'eu', url: eu.url, replica_urls: [replica.url('app')] },
    { name: 'us', url: us.url },
  ]),
  SESSION__SECRET: secret,
  BASE_URL: 'https://cluster.test',
})
for (const { name, port } of cells) await haproxy({ servers, port, host: `${name}.cluster.test` })

/** A Postgres behind PgBouncer, and the address of its tenants. */
async function cell(name: string) {
  const postgres = await ownPostgres({ programs: POSTGRES_15 })
  await prepare(postgres)
  const { url } = await pgbouncer(postgres.url('app'))
  const port = await freePort()
  return { name, url, port, postgres, address: `http://127.0.0.1:${port}` }
}

const list = (address: string) => new TestClient(address).get('/api/test-notes')
const password = new URL(eu.postgres.url('app')).password

/** The load of the first cell. */
const loadOf = (client: TestClient) => ({
  ...requestsOf(() => client),
  servers,
  secrets: [secret, password],
  stored: () => titlesOn(eu.postgres),
})

describe('three processes with two cells', () => {
  it('serve one while the other is killed, and both when it is up again', async (test) => {
    const { client } = await newcomerOf(eu.postgres, eu.address)
    const other = (await newcomerOf(us.postgres, us.address)).client
    const { failed } = await withstand(test, loadOf(client), async () => {
      await us.postgres.kill()
      for (let count = 0; count < 30; count++) {
        const { status, headers } = await list(us.address)
        expect([status, headers.get('retry-after')]).toEqual([503, '1'])
        const written = await other.post('/api/test-notes', { json: { title: 'while down', body: 'x' } })
        expect(written.status).toBe(503)
        for (const { url } of servers) expect((await new TestClient(url).get('/readyz')).status).toBe(200)
      }
      await us.postgres.start()
      await expect.poll(async () => (await list(us.address)).status).toBe(200)
    })
    expect(failed, 'failed requests of the other cell').toBe(0)
    const written = await other.post('/api/test-notes', { json: { title: 'again', body: 'x' } })
    expect(written.status).toBe(201)
    expect(await titlesOn(us.postgres)).toEqual(['again'])
    expect(await titlesOn(eu.postgres)).not.toContain('again')
  })

  it('serve one while the other is frozen', async (test) => {
    const { client } = await newcomerOf(eu.postgres, eu.address)
    const { failed } = await withstand(test, loadOf(client), async () => {
      us.postgres.freeze()
      try {
        const answers = await Promise.all(Array.from({ length: 200 }, () => list(us.address)))
        expect(
          answers.filter(({ status, headers }) => status !== 503 || headers.get('retry-after') !== '1'),
        ).toEqual([])
      } finally {
        us.postgres.thaw()
      }
      await expect.poll(async () => (await list(us.address)).status).toBe(200)
    })
    expect(failed, 'failed requests of the other cell').toBe(0)
  })

  it('read the lists of a cell from its own replica', async () => {
    const titles = async (address: string) => {
      const { json, headers } = await list(address)
      const { content } = json() as { content: { title: string }[] }
      return { id: headers.get('x-request-id') ?? '', titles: content.map(({ title }) => title) }
    }
    const lineOf = (id: string) =>
      vi.waitUntil(() =>
        servers.flatMap((server) => server.output().split('\n')).find((line) => line.includes(id)),
      )
    await expect
      .poll(async () => lineOf((await titles(eu.address)).id))
      .toMatch(/"shard":"eu","replica":"127\.0\.0\.1:\d+\/app"/)
    const other = await titles(us.address)
    expect(other.titles).toEqual(['again'])
    expect(await lineOf(other.id)).toContain('"shard":"us","responseTime"')
  })

  it('accept a session only in its own cell', async () => {
    const { client } = await newcomerOf(eu.postgres, eu.address)
    const elsewhere = new TestClient(us.address)
    for (const [name, value] of client.cookies) elsewhere.cookies.set(name, value)
    expect((await client.get('/account')).status).toBe(200)
    expect((await elsewhere.get('/account')).status).toBe(303)
  })
})
