import { type Tables, withDatabase } from 'pergola'
import { endInOrder, listen, portOf } from 'pergola/app'
import { connect } from 'pergola/database'
import { createDatabase, databaseUrl, testServer } from 'pergola/lab'
import type { Insertable, Kysely } from 'kysely'
import { pino } from 'pino'
import { createApp } from '../fixtures/app.ts'
import { noteHistoryRoutes, recordedNotes } from '../fixtures/note-history.controller.ts'
import { noteRoutes } from '../fixtures/note.controller.ts'
import { pairRoutes } from './pair.ts'
import { resources } from '../fixtures/resources.ts'
import { createTables } from '../fixtures/tables.ts'
import { noteTitle, NOTES, USERS } from './data.ts'

// Starts the fixture application with its own database. The parent process receives the URL in a message, and the
// server ends when the parent disconnects.
const { adminUrl, prefix, close } = await testServer()
const url = databaseUrl(adminUrl, `${prefix}browser`)
await createDatabase(adminUrl, `${prefix}browser`)
await createTables(url)
const db = connect({
  url,
  poolSize: 10,
  maxWaiting: 200,
  connectTimeout: 5_000,
  statementTimeout: 10_000,
  lockTimeout: 5_000,
  onConnectionError: () => {},
})
await withDatabase(db, () => fill(db))
// The first resource are the notes.
const [notes, ...others] = resources
const withMore = [{ ...notes!, routes: { noteRoutes, noteHistoryRoutes, pairRoutes } }, ...others]
const server = await listen(createApp({ db, resources: withMore }), {
  host: '127.0.0.1',
  port: 0,
  behindProxy: false,
})
endInOrder({
  server,
  log: pino({ level: 'silent' }),
  grace: 1_000,
  begin: () => {},
  async finish() {
    await db.destroy()
    await close()
  },
})
process.send?.(`http://127.0.0.1:${portOf(server)}`)

async function fill(db: Kysely<Tables>): Promise<void> {
  const users = USERS.map((user) => ({ ...user, roles: [...user.roles] }))
  const stored = await db.insertInto('users').values(users).returning('id').execute()
  const notes = Array.from({ length: NOTES }, (_, index) => note(index + 1, stored))
  await db.insertInto('notes').values(notes).execute()
  for (const body of ['Second', 'Third']) await recordedNotes.asSystem('a test').update(1, { body })
}

/** Returns a published note. Each note is one minute newer than the note before it. */
function note(n: number, users: readonly { id: number }[]): Insertable<Tables['notes']> {
  return {
    title: noteTitle(n),
    body: `The body of note ${n}.`,
    published: true,
    author_id: users[n % users.length]?.id ?? 0,
    created_at: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
  }
}
