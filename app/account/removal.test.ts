import { type ColumnType, type Generated, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { field, policy, type PolicyContext, repository, resource, scope } from 'pergola'
import { clearRateLimits, type TestClient } from 'pergola/testing'
import { resources } from '#app/resources.ts'
import {
  makeTestNote,
  TestNote,
  testNoteApp,
  testNoteDatabase,
  testNotePolicy,
  testNoteResource,
  testNotes,
} from '#app/test/test-note.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'
import { User } from '#app/users/user.ts'

interface DraftTable {
  id: Generated<number>
  text: string
  note_id: number
  owner_id: number
  deleted_at: ColumnType<string | null, never, never>
}

declare module 'pergola' {
  interface Tables {
    test_drafts: DraftTable
  }
}

/** A resource below another one, with a trash. */
const Draft = resource('Draft', {
  table: 'test_drafts',
  label: 'text',
  input: z.strictObject({ text: field.string(), note_id: field.reference() }),
  owner: 'owner_id',
  references: { note_id: TestNote, owner_id: User },
  softDelete: true,
})
const may = (ctx: PolicyContext) => ctx.hasRole('admin')
const drafted = repository(Draft, {
  policy: policy(Draft, { canShow: may, canCreate: may, canUpdate: may, canDelete: may, canRestore: may }),
  scope: scope(Draft, { where: (ctx, is) => is.lit(ctx.hasRole('admin')) }),
})

const database = await testNoteDatabase()
await sql`create table test_drafts (
  id bigint generated always as identity primary key,
  text text not null,
  note_id bigint not null references test_notes(id) on delete restrict,
  owner_id bigint not null references users(id) on delete restrict,
  deleted_at timestamptz
)`.execute(database.db)
const app = await testNoteApp({
  database,
  resources: [...resources, testNoteResource, { repository: drafted }],
})
const admin = await app.newcomer({ name: 'Admin', roles: ['admin'] })

beforeEach(async () => {
  await clearRateLimits(app.db)
  await app.mails()
})

/** Starts the application with another rule about the deletion of notes. */
const deleting = (canDelete: (row: TestNote) => boolean | Promise<boolean>) =>
  testNoteApp({
    database,
    resources: [...resources, testNoteResource, { repository: drafted }],
    policies: [
      [TestNote, policy(TestNote, { ...testNotePolicy.rules, canDelete: (_ctx, row) => canDelete(row) })],
    ],
  })

const make = (values: Parameters<typeof makeUser>[0] = {}) => app.within(() => makeUser(values))
const stored = (id: number) => app.within(() => users.asSystem('test').find(id))
const note = (owner_id: number, published = true) => app.within(() => makeTestNote({ owner_id, published }))
const ownerOf = async (id: number) =>
  (await app.within(() => testNotes.asSystem('test').find(id)))?.owner_id ?? null
const remove = (id: number, form: Record<string, string> = {}, client: TestClient = admin) =>
  client.post(`/users/${id}`, { form: { _method: 'DELETE', ...form } })

describe('DELETE /users/:id', () => {
  it('deletes a user without records, mails a notice and ends the sessions', async () => {
    const user = await make({ name: 'Bob' })
    const client = await app.signInAs(user.email)
    expect((await admin.get(`/users/${user.id}/delete`)).text).not.toContain('Records of the user')
    const answer = await remove(user.id)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/users'])
    expect([await stored(user.id), (await client.get('/account')).status]).toEqual([null, 303])
    expect((await app.mails()).filter(({ to }) => to === user.email)).toMatchObject([
      { name: 'account-notice', data: { name: 'Bob', text: 'Your account was deleted.' } },
    ])
    const events = app.db.selectFrom('security_events').select(['kind', 'actor_id'])
    expect(
      await events.where('target_id', '=', user.id).where('kind', '=', 'account-deleted').execute(),
    ).toEqual([{ kind: 'account-deleted', actor_id: admin.user.id }])
  })

  it('withdraws an invitation, and mails nothing to an address that was never confirmed', async () => {
    const user = await make({ verified: false })
    expect((await remove(user.id)).status).toBe(303)
    expect([await stored(user.id), await app.mails()]).toEqual([null, []])
  })

  it('deletes the records, or gives them to another user', async () => {
    const [first, second, heir] = [await make(), await make(), await make()]
    const [deleted, given] = [await note(first.id), await note(second.id)]
    expect((await admin.get(`/users/${first.id}/delete`)).text).toContain('1 test notes')
    expect((await remove(first.id, { records: 'delete' })).status).toBe(303)
    const form = { records: 'hand_over', heir: ` ${heir.email.toUpperCase()}` }
    expect((await remove(second.id, form)).status).toBe(303)
    expect([await ownerOf(deleted.id), await ownerOf(given.id)]).toEqual([null, heir.id])
    expect([await stored(first.id), await stored(second.id)]).toEqual([null, null])
  })

  it('changes nothing without a choice, without an heir, or for records that the admin may not see', async () => {
    const user = await make()
    const shown = await note(user.id)
    const answers = [
      await remove(user.id),
      await remove(user.id, { records: 'keep' }),
      await remove(user.id, { records: 'hand_over' }),
      await remove(user.id, { records: 'hand_over', heir: 'nobody@example.org' }),
      await remove(user.id, { records: 'hand_over', heir: user.email }),
      await remove(user.id, { records: 'hand_over', heir: 'no address' }),
    ]
    const draft = await note(user.id, false)
    answers.push(await remove(user.id, { records: 'delete' }))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 422))
    expect(answers.at(-1)?.text).toContain('The account still has test notes. Nothing was deleted.')
    expect([await ownerOf(shown.id), await ownerOf(draft.id)]).toEqual([user.id, user.id])
    expect(await stored(user.id)).not.toBeNull()
  })

  it('refuses more than 1,000 records', async () => {
    const user = await make()
    await sql`insert into test_notes (title, body, owner_id)
      select 'T', 'B', ${user.id} from generate_series(1, 1001)`.execute(app.db)
    const { status, text } = await remove(user.id, { records: 'delete' })
    expect([status, text.includes('more than 1,000 records')]).toEqual([422, true])
  })

  it('leads to the page of the own account, which asks for a recent sign-in and ends the session', async () => {
    const own = await app.newcomer({ roles: ['admin'] })
    const answers = [await own.get(`/users/${own.user.id}/delete`), await remove(own.user.id, {}, own)]
    expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [303, '/account/delete'],
      [303, '/account/delete'],
    ])
    expect((await own.get(`/users/${own.user.id}`)).text).not.toContain('Delete the user')
    expect(await stored(own.user.id)).not.toBeNull()
  })

  it('gives records only to a user who can sign in', async () => {
    const user = await make()
    const heirs = [await make({ verified: false }), await make()]
    await sql`update users set disabled_at = now() where id = ${heirs[1]?.id}`.execute(app.db)
    await note(user.id)
    for (const { email } of heirs) {
      const { status, text } = await remove(user.id, { records: 'hand_over', heir: email })
      expect([status, text.includes('No other active user')]).toEqual([422, true])
    }
  })

  it('finds records in the trash, and those that refer to others first', async () => {
    const [first, second, heir] = [await make(), await make(), await make()]
    const made = async (owner_id: number) => {
      const parent = await note(owner_id)
      const draft = () =>
        app.within(() => drafted.asSystem('test').insert({ text: 'T', note_id: parent.id, owner_id }))
      const drafts = [await draft(), await draft()]
      await app.within(() => drafted.asSystem('test').delete(drafts[0]?.id ?? 0))
      return drafts.map(({ id }) => id)
    }
    await made(first.id)
    const kept = await made(second.id)
    expect((await admin.get(`/users/${first.id}/delete`)).text).toContain('2 test drafts, 1 test notes')
    expect((await remove(first.id, { records: 'delete' })).status).toBe(303)
    expect((await remove(second.id, { records: 'hand_over', heir: heir.email })).status).toBe(303)
    const { rows } =
      await sql<object>`select id, owner_id, deleted_at is not null as trashed from test_drafts order by id`.execute(
        app.db,
      )
    expect(rows).toEqual(kept.map((id, index) => ({ id, owner_id: heir.id, trashed: index === 0 })))
  })

  it('changes nothing if a policy denies one of the records, or if records of others refer to one', async () => {
    const own = await deleting(() => false)
    const [user, other] = [await make(), await make()]
    const shown = await note(user.id)
    const refuse = async (where: typeof app, sentence: string) => {
      const client = await where.signInAs(admin.user.email)
      const { status, text } = await remove(user.id, { records: 'delete' }, client)
      expect([status, text.includes(sentence)]).toEqual([422, true])
      expect(await ownerOf(shown.id)).toBe(user.id)
    }
    await refuse(own, 'The policy does not let you delete all of the test notes. Nothing was changed.')
    await app.within(() =>
      drafted.asSystem('test').insert({ text: 'T', note_id: shown.id, owner_id: other.id }),
    )
    await refuse(app, 'Other records refer to some of the test notes. Nothing was changed.')
  })

  it('accepts that a record was deleted meanwhile', async () => {
    const user = await make()
    await note(user.id)
    const own = await deleting(async ({ id }) => {
      await testNotes.asSystem('test').delete(id)
      return true
    })
    const client = await own.signInAs(admin.user.email)
    expect((await remove(user.id, { records: 'delete' }, client)).status).toBe(303)
    expect(await stored(user.id)).toBeNull()
  })

  it('is for admins', async () => {
    const user = await make()
    const member = await app.newcomer()
    expect((await remove(user.id, {}, member)).status).toBe(403)
    expect((await member.get(`/users/${user.id}/delete`)).status).toBe(403)
    expect((await remove(user.id, {}, app.guest)).headers.get('location')).toMatch(/^\/login\?/)
    expect((await remove(999_999)).status).toBe(404)
    expect(await stored(user.id)).not.toBeNull()
  })
})
