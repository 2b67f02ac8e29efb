import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { CursorRequest, database, hasVisible, PageRequest, repository, scope } from 'pergola'
import { makeNote, Note, notePolicy, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, User, users } from './fixtures/user.ts'

const app = await testApp()
const author = await app.within(() => makeUser())
const ids = await app.within(async () => [
  (await makeNote({ author_id: author.id })).id,
  (await makeNote()).id,
])
const none: number[] = []
const all = notes.asSystem('test')

describe('an empty list', () => {
  it('in a scope shows no rows, on pages and in the API', async () => {
    const closed = scope(Note, { where: (_ctx, is) => is('author_id', 'in', none) })
    const empty = await testApp({ database: app, scopes: [[Note, closed]] })
    const page = await empty.guest.get('/api/notes')
    expect([page.status, page.json()]).toMatchObject([200, { content: [], total_elements: 0 }])
    for (const path of ['/notes', '/feed', '/api/notes?cursor='])
      expect([path, (await empty.guest.get(path)).status]).toEqual([path, 200])
  })

  it('in a condition of a handler matches no rows', () =>
    app.within(async () => {
      const where = { where: (is) => is('id', 'in', none) } satisfies Parameters<typeof all.findAll>[0]
      expect(await all.findAll(where)).toEqual([])
      expect(await all.count(where)).toBe(0)
      expect((await all.page(new PageRequest(), where)).content).toEqual([])
      expect((await all.cursorPage(new CursorRequest(), where)).content).toEqual([])
      expect(await all.findInBatches(5, where).nextBatch()).toBeNull()
      expect(await all.inBatches(5, where).nextBatch()).toBeNull()
      expect(await database().selectFrom('notes').select('id').where('id', 'in', none).execute()).toEqual([])
    }))

  it('in a finder matches no rows', async () => {
    const named = repository(Note, {
      policy: notePolicy,
      finders: {
        by: (list, authors: readonly number[]) =>
          list.findAll({ where: (is) => is('author_id', 'in', authors) }),
      },
    }).asSystem('test')
    expect(await app.within(() => named.by(none))).toEqual([])
    expect(await app.within(() => named.by([author.id]))).toMatchObject([{ id: ids[0] }])
  })

  it('in a subquery matches no rows', async () => {
    const closed = scope(User, { where: (_ctx, is) => is('id', 'in', none) })
    const below = scope(Note, {
      where: (ctx, is) =>
        is.or([
          hasVisible(ctx, User, 'notes.author_id'),
          is('author_id', 'in', (inner) => inner.selectFrom('users').select('id').where('id', 'in', none)),
        ]),
    })
    const empty = await testApp({
      database: app,
      scopes: [
        [Note, below],
        [User, closed],
      ],
    })
    expect(await empty.within(() => notes.visibleTo(empty.contextFor(null)).count())).toBe(0)
  })

  it('with `not in` matches all rows', async () => {
    expect(await app.within(() => all.count({ where: (is) => is('id', 'not in', none) }))).toBe(ids.length)
    expect(await app.within(() => all.count({ where: (is) => is.not(is('id', 'in', none)) }))).toBe(
      ids.length,
    )
  })

  it('updates and deletes no rows', () =>
    app.within(async () => {
      for await (const range of all.inBatches(5, { where: (is) => is('id', 'not in', none) }))
        expect(await range.update({ body: 'Same' })).toBe(ids.length)
      const { rows } = await sql`select body from notes where body = 'Same'`.execute(app.db)
      expect(rows).toHaveLength(ids.length)
      expect(await users.asSystem('test').count({ where: (is) => is('id', 'in', none) })).toBe(0)
    }))
})
