import { TestClient } from 'pergola/testing'
import { describe, expect, it } from 'vitest'
import { clusterBed } from './cluster-bed.ts'

const { primary, replicas, servers, url, sql, newcomer } = await clusterBed()

const write = (client: TestClient, title: string) =>
  client.post('/api/test-notes', { json: { title, body: 'Written in the cluster.' } })

async function titles(client: TestClient): Promise<string[]> {
  const { status, json } = await client.get('/api/test-notes?size=100')
  expect(status).toBe(200)
  return (json() as { content: { title: string }[] }).content.map(({ title }) => title)
}

/** Requests lists as guests. Returns the log line of each. */
async function guestLists(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < count; number++) {
    const { headers } = await new TestClient(url).get('/api/test-notes')
    ids.push(headers.get('x-request-id') ?? '')
  }
  const linesOf = () => {
    const lines = servers.flatMap((server) => server.output().split('\n'))
    return ids.flatMap((id) => lines.find((line) => line.includes(id)) ?? [])
  }
  await expect.poll(linesOf).toHaveLength(count)
  return linesOf()
}

describe('three processes with two replicas', () => {
  it('show 50 users their own writes at once, in 20 rounds', async () => {
    const users: Awaited<ReturnType<typeof newcomer>>[] = []
    for (let count = 0; count < 50; count++) users.push(await newcomer())
    const stale: string[] = []
    const writeAndList = async ({ client, id }: (typeof users)[number], round: number) => {
      const title = `user ${id} round ${round}`
      expect((await write(client, title)).status).toBe(201)
      if (!(await titles(client)).includes(title)) stale.push(title)
    }
    // Ten users at a time, below the limit of requests in flight.
    for (let round = 0; round < 20; round++)
      for (let first = 0; first < users.length; first += 10)
        await Promise.all(users.slice(first, first + 10).map((user) => writeAndList(user, round)))
    expect(stale).toEqual([])
  })

  it('read nearly all lists of guests from replicas', async () => {
    const lines = await guestLists(100)
    expect(lines.filter((line) => line.includes('"replica":')).length).toBeGreaterThanOrEqual(95)
  })

  it('know at once that a session was ended and that a user was disabled', async () => {
    const [one, other] = [await newcomer(), await newcomer()]
    for (const { client } of [one, other]) expect((await client.get('/account')).status).toBe(200)
    await sql(`delete from sessions where user_id = ${one.id}`)
    await sql(`update users set disabled_at = now() where id = ${other.id}`)
    for (let count = 0; count < 6; count++)
      for (const { client } of [one, other]) expect((await client.get('/account')).status).toBe(303)
  })

  it('answer all requests while a replica is killed and starts again', async () => {
    const statuses: number[] = []
    const over = new AbortController()
    const readers = Array.from({ length: 8 }, async () => {
      while (!over.signal.aborted) statuses.push((await new TestClient(url).get('/api/test-notes')).status)
    })
    const [prompt] = replicas
    await prompt.kill()
    await expect.poll(() => statuses.length).toBeGreaterThan(200)
    await prompt.start()
    const count = statuses.length
    await expect.poll(() => statuses.length).toBeGreaterThan(count + 200)
    over.abort()
    await Promise.all(readers)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  })

  it('answer all requests when a replica is promoted, and read it no more', async () => {
    const [, slow] = replicas
    await slow.promote()
    const statuses: number[] = []
    for (let count = 0; count < 200; count++)
      statuses.push((await new TestClient(url).get('/api/test-notes')).status)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    await sql(
      `insert into test_notes (title, body, owner_id) select 'only there', 'x', min(id) from users`,
      slow,
    )
    for (let count = 0; count < 20; count++)
      expect(await titles(new TestClient(url))).not.toContain('only there')
    expect(primary.url('app')).not.toBe(slow.url('app'))
  })
})
