import { sql } from 'kysely'
import { pino } from 'pino'
import { beforeEach, describe, expect, it } from 'vitest'
import { inTransaction, publicRoute, routes, withDatabase } from 'pergola'
import { recordEvent, recordRejection } from 'pergola/accounts'
import { notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

declare module 'pergola' {
  interface EventKinds {
    'door-opened': true
  }
}

const lines: string[] = []
const opened = routes('/doors', {
  'POST /': [
    publicRoute(),
    async (_req, res) => {
      await inTransaction(() => recordEvent('door-opened', { target: 7, detail: 'front' }))
      res.end()
    },
  ],
  'POST /broken': [
    publicRoute(),
    async (_req, res) => {
      await recordRejection('door-opened', () => Promise.reject(new Error('No such door.')))
      res.end()
    },
  ],
})
const app = await testApp({
  resources: [{ repository: notes, routes: { opened } }, { repository: users }],
  log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
})
const caller = await app.newcomer()

beforeEach(async () => {
  await sql`delete from security_events`.execute(app.db)
  lines.length = 0
})

const stored = () => app.db.selectFrom('security_events').selectAll().execute()
const logged = () => lines.filter((line) => line.includes('"event":"security"'))

describe('recordEvent', () => {
  it('stores the caller, the client and the request, and logs the event', async () => {
    const headers = { 'user-agent': 'x'.repeat(300) }
    const response = await caller.post('/doors', { headers })
    const request_id = response.headers.get('x-request-id')
    const facts = { kind: 'door-opened', actor_id: caller.user.id, target_id: 7, detail: 'front' }
    expect(await stored()).toMatchObject([
      { ...facts, address: '127.0.0.1', user_agent: 'x'.repeat(200), request_id },
    ])
    expect(logged().map((line) => JSON.parse(line) as object)).toMatchObject([
      { ...facts, address: '127.0.0.1', request_id, msg: 'door-opened' },
    ])
  })

  it('stores and logs nothing if the transaction is rolled back', async () => {
    const log = { info: () => lines.push('"event":"security"'), error: () => {} }
    const rolledBack = withDatabase(
      app.db,
      () =>
        inTransaction(async () => {
          await recordEvent('door-opened', { target: null })
          throw new Error('rolled back')
        }),
      { system: 'a test', log },
    )
    await expect(rolledBack).rejects.toThrow('rolled back')
    expect([await stored(), logged()]).toEqual([[], []])
  })

  it('names the task or the program without a request', async () => {
    await withDatabase(app.db, () => recordEvent('door-opened', { target: null }), { system: 'nightly' })
    expect(await stored()).toMatchObject([
      { system: 'nightly', actor_id: null, address: null, request_id: null },
    ])
  })
})

describe('recordRejection', () => {
  it('logs the error instead of throwing it', async () => {
    expect((await app.guest.post('/doors/broken')).status).toBe(200)
    expect(await stored()).toEqual([])
    expect(lines.join('')).toContain('The security event door-opened was not recorded.')
    expect(lines.join('')).toContain('No such door.')
  })
})
