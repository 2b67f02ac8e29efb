import { type ColumnType, type Generated, type Kysely, sql } from 'kysely'
import { z } from 'zod'
import {
  authorize,
  field,
  flash,
  formInput,
  Invalid,
  type Handler,
  load,
  pageRequest,
  policy,
  pathTo,
  policyContext,
  publicRoute,
  record,
  repository,
  resource,
  type RowOf,
  routes,
  scope,
  secured,
  type Tables,
} from 'pergola'
import { User } from '#app/users/user.ts'
import type { testApp } from './test-app.ts'

// Tests use this complete resource, so that they don't depend on the application's resources. A server loads it too
// (with-test-notes.ts), so the functions for tests import what only they need.

interface TestNoteTable {
  id: Generated<number>
  title: string
  body: string
  published: Generated<boolean>
  owner_id: number
  created_at: ColumnType<string, never, never>
}

declare module 'pergola' {
  interface Tables {
    test_notes: TestNoteTable
  }
  interface Policies {
    TestNote: typeof testNotePolicy
  }
}

export const TestNote = resource('TestNote', {
  table: 'test_notes',
  label: 'title',
  input: z.strictObject({
    title: field.string({ max: 200 }),
    body: field.text(),
    published: z.boolean().default(true),
  }),
  columns: ['created_at'],
  owner: 'owner_id',
  references: { owner_id: User },
})
export type TestNote = RowOf<typeof TestNote>

export const testNotePolicy = policy(TestNote, {
  canShow: (ctx, note) => note.published || ctx.owns(note.owner_id) || ctx.hasRole('admin'),
  canCreate: (ctx) => ctx.userId !== null,
  canUpdate: (ctx, note) => ctx.owns(note.owner_id) || ctx.hasRole('admin'),
  canDelete: (ctx, note) => ctx.owns(note.owner_id) || ctx.hasRole('admin'),
})

export const testNotes = repository(TestNote, {
  api: '/api/test-notes',
  policy: testNotePolicy,
  scope: scope(TestNote, {
    where: (ctx, is) => is.or([is('published', '=', true), is('owner_id', '=', ctx.userId)]),
  }),
  order: '-created_at',
})

const index: Handler = async (req, res) => {
  const page = await testNotes.visibleTo(await policyContext(req)).page(pageRequest(req))
  res.json(page)
}
const show: Handler = (req, res) => void res.json(record(req, TestNote, 'show'))
const newForm: Handler = (req, res) => void res.json(record(req, TestNote, 'create'))
const create: Handler = async (req, res) => {
  const draft = record(req, TestNote, 'create')
  const form = await formInput(req, TestNote)
  if (!form.valid) throw new Invalid([])
  const note = await testNotes.insert(draft, form.input)
  await flash(req, 'Note created.')
  res.redirect(303, pathTo(testNoteRoutes, 'GET /:id', note))
}
const update: Handler = async (req, res) => {
  const note = record(req, TestNote, 'update')
  const form = await formInput(req, TestNote, note)
  if (!form.valid) throw new Invalid([])
  await testNotes.update(note, form.input)
  res.redirect(303, pathTo(testNoteRoutes, 'GET /:id', note))
}

export const testNoteRoutes = routes('/test-notes', {
  'GET /': [publicRoute(), index],
  'GET /new': [secured(), authorize('create', TestNote), newForm],
  'POST /': [secured(), authorize('create', TestNote), create],
  'GET /:id': [publicRoute(), load(TestNote), authorize('show', TestNote), show],
  'PUT /:id': [secured(), load(TestNote), authorize('update', TestNote), update],
})

export const testNoteResource = { repository: testNotes, routes: { testNoteRoutes } }

/** Creates a database with a table of test notes. Call it at the top of a test file. */
export async function testNoteDatabase() {
  const { testDatabase } = await import('pergola/testing')
  const database = await testDatabase()
  await createTestNotes(database.db)
  return database
}

/** Creates the table of test notes. */
export async function createTestNotes(db: Kysely<Tables>): Promise<void> {
  await sql`create table test_notes (
    id bigint generated always as identity primary key,
    title text not null,
    body text not null,
    published boolean not null default true,
    owner_id bigint not null references users(id) on delete restrict,
    created_at timestamptz not null default now()
  )`.execute(db)
}

/** Starts the application with test notes as an additional resource. */
export async function testNoteApp(options: Parameters<typeof testApp>[0] = {}) {
  const { testApp } = await import('./test-app.ts')
  const { resources } = await import('#app/resources.ts')
  const database = options.database ?? (await testNoteDatabase())
  return testApp({ resources: [...resources, testNoteResource], ...options, database })
}

/** Inserts a published note, and a user as its owner unless `values` names one. */
export async function makeTestNote(values: Partial<TestNote> = {}): Promise<TestNote> {
  const { makeUser } = await import('#app/users/user.factory.ts')
  const { owner_id = (await makeUser()).id, ...rest } = values
  return testNotes.asSystem('factory').insert({ title: 'Title', body: 'Body', owner_id, ...rest })
}
