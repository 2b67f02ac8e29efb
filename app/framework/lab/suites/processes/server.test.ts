import { once } from 'node:events'
import { withDatabase } from 'pergola'
import { isPooled, spawnServer } from 'pergola/lab'
import { lockTable, lockWait, TestClient, testDatabase } from 'pergola/testing'
import { describe, expect, it } from 'vitest'
import { DEMO_PASSWORD, makeUser } from '../application.ts'

const database = await testDatabase()
const pooled = await isPooled(database.url)
const { email } = await withDatabase(database.db, () => makeUser())

// The tests of the framework cover failures and shutdown. These tests check that app/server.ts passes its configuration on.
describe('app/server.ts', () => {
  it('keeps sessions when it is killed and started again', async () => {
    const first = await startServer()
    const client = await signIn(first.url)
    const exit = once(first.server, 'exit')
    first.server.kill('SIGKILL')
    await exit
    const again = new TestClient((await startServer()).url)
    for (const [name, value] of client.cookies) again.cookies.set(name, value)
    expect((await again.get('/account')).status).toBe(200)
  })

  it('returns 503 if every connection of its pool is busy', async () => {
    const { url } = await startServer({
      ...PATIENT,
      DATABASE__POOL_SIZE: '1',
      DATABASE__CONNECT_TIMEOUT_MS: '1000',
    })
    const client = await signIn(url)
    const release = await lockUsers()
    const waiting = client.get('/account')
    await lockWait(database.db)
    const { status, headers } = await client.get('/account')
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    expect((await client.get('/livez')).status).toBe(200)
    await release()
    expect((await waiting).status).toBe(200)
  })

  // Through a connection pooler, single statements have the limits of the role.
  it.skipIf(pooled).each(['DATABASE__LOCK_TIMEOUT_MS', 'DATABASE__STATEMENT_TIMEOUT_MS'])(
    'answers 503 after %s',
    async (setting) => {
      const { url } = await startServer({ ...PATIENT, [setting]: '300' })
      const client = await signIn(url)
      const release = await lockUsers()
      expect((await client.get('/account')).status).toBe(503)
      await release()
      expect((await client.get('/account')).status).toBe(200)
    },
  )

  it('completes an active request after SIGTERM', async () => {
    const { server, url } = await startServer(PATIENT)
    const client = await signIn(url)
    const release = await lockUsers()
    const underWay = client.get('/account')
    await lockWait(database.db)
    const exit = once(server, 'exit')
    server.kill('SIGTERM')
    await expect.poll(() => isRefused(url)).toBe(true)
    await release()
    expect((await underWay).status).toBe(200)
    expect(await exit).toEqual([0, null])
  })

  it('exits after SERVER__DRAIN_SECONDS even if a statement is blocked', async () => {
    const hasty = await startServer({ ...PATIENT, SERVER__DRAIN_SECONDS: '0' })
    const patient = await startServer({ ...PATIENT, SERVER__DRAIN_SECONDS: '60' })
    const clients = [await signIn(hasty.url), await signIn(patient.url)]
    const release = await lockUsers()
    const underWay = clients.map((client) => client.get('/account').catch(() => null))
    await lockWait(database.db, 2)
    const exits = [hasty, patient].map(({ server }) => once(server, 'exit'))
    patient.server.kill('SIGTERM')
    hasty.server.kill('SIGTERM')
    expect(await exits[0]).toEqual([0, null])
    expect(await underWay[0]).toBeNull()
    expect(patient.server.exitCode).toBeNull()
    await release()
    expect((await underWay[1])?.status).toBe(200)
    expect(await exits[1]).toEqual([0, null])
  })
})

/** Timeouts that are longer than a test. */
const PATIENT = { DATABASE__LOCK_TIMEOUT_MS: '60000', DATABASE__STATEMENT_TIMEOUT_MS: '60000' }

/** Starts the server in a new process without the demo data. */
const startServer = (env: Record<string, string> = {}) =>
  spawnServer('app/server.ts', {
    NODE_ENV: 'test',
    PORT: '0',
    ACCOUNTS__DEMO: 'false',
    DATABASE_URL: database.url,
    SESSION__SECRET: 'one secret for all of these servers',
    ...env,
  })

async function signIn(url: string): Promise<TestClient> {
  const client = new TestClient(url)
  expect((await client.post('/login', { form: { email, password: DEMO_PASSWORD } })).status).toBe(303)
  return client
}

const isRefused = (url: string) =>
  new TestClient(url).get('/livez').then(
    () => false,
    () => true,
  )

/** Locks the table of users, which every signed-in request reads. */
const lockUsers = () => lockTable(database.db, 'users')
