import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withDatabase } from 'pergola'
import { connectForTests } from 'pergola/lab'
import { sessionsOf } from '../src/database/connect.ts'
import { loadRow } from '../src/rows/rows.ts'
import { makeNote, Note } from './fixtures/note.ts'
import { isPlain } from './fixtures/plain.ts'
import { testApp } from './fixtures/test-app.ts'

const app = await testApp()
const owner = await app.newcomer()
const stranger = await app.newcomer()
const { id } = await app.within(() => makeNote({ author_id: owner.user.id }))

interface Message extends Record<string, unknown> {
  readonly result?: unknown
  readonly error?: unknown
}

/** Returns the messages of the events that end, while the test runs. */
function ended(name: string): Message[] {
  const messages: Message[] = []
  const subscribers = { asyncEnd: (message: object) => void messages.push(message as Message) }
  const channel = tracingChannel(name)
  channel.subscribe(subscribers as never)
  onTestFinished(() => channel.unsubscribe(subscribers as never))
  return messages
}

describe('the channel pergola:decision', () => {
  it('traces each decision with its action, its resource and its result', async () => {
    const decisions = ended('pergola:decision')
    await stranger.put(`/api/notes/${id}`, { json: { title: 'T', body: 'B' } })
    expect(decisions).toEqual([
      { action: 'update', resource: 'Note', result: { allowed: false, cause: 'denied' } },
    ])
    decisions.length = 0
    await owner.put(`/api/notes/${id}`, { json: { title: 'T', body: 'B' } })
    const result = { allowed: true, cause: 'allowed' }
    expect(decisions).toEqual([
      { action: 'update', resource: 'Note', result },
      { action: 'become', resource: 'Note', result },
    ])
  })

  it('traces none for the rows of a list', async () => {
    const decisions = ended('pergola:decision')
    expect((await owner.get('/notes')).status).toBe(200)
    expect(decisions).toEqual([])
  })
})

describe('the channel pergola:statement', () => {
  it('traces each statement with its text, and without its values', async () => {
    const statements = ended('pergola:statement')
    await sql`select ${'secret'}::text as word`.execute(app.db)
    expect(statements).toMatchObject([
      { text: 'select $1::text as word', result: { rows: [{ word: 'secret' }] } },
    ])
    expect(Object.keys(statements[0] ?? {})).toEqual(['text', 'result'])
  })

  it('has the error of a statement that fails', async () => {
    const statements = ended('pergola:statement')
    await expect(sql`select 1 / ${0}::int`.execute(app.db)).rejects.toThrow('division by zero')
    expect(statements).toMatchObject([{ text: 'select 1 / $1::int', error: { code: '22012' } }])
  })

  it('runs in the context of a request, also if other requests share the statement', async () => {
    const requests = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const start = () => void seen.push(requests.getStore())
    const channel = tracingChannel('pergola:statement').start
    channel.subscribe(start)
    onTestFinished(() => channel.unsubscribe(start))
    const read = () => withDatabase(app.db, () => loadRow(Note, id))
    await Promise.all(['one', 'other'].map((name) => requests.run(name, read)))
    expect(seen).toEqual(isPlain ? ['one', 'other'] : ['one'])
  })
})

it('the channel pergola:pool has each pool that opens', async () => {
  const pools: unknown[] = []
  const open = (pool: unknown) => void pools.push(pool)
  subscribe('pergola:pool', open)
  onTestFinished(() => void unsubscribe('pergola:pool', open))
  const db = connectForTests(app.database.url)
  await withDatabase(db, () => sql`select`.execute(db))
  expect(pools).toEqual([sessionsOf(db)?.pool])
  await db.destroy()
})
