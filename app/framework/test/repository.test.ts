import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { contextOf, PageRequest, withDatabase } from 'pergola'
import { registryOfResources } from 'pergola/app'
import type { ListOptions } from '../src/lists/list-source.ts'
import { testDatabase } from 'pergola/testing'
import { resources } from './fixtures/resources.ts'
import { makeNote, type Note, notes } from './fixtures/note.ts'
import { makeUser, users } from './fixtures/user.ts'

const { db, statements } = await testDatabase()
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const all = notes.asSystem('test')

/** Returns a page and the statements that it sent. */
async function pageOf(page: number, size: number) {
  statements.length = 0
  const { content, ...rest } = await within(() => all.page(new PageRequest(page, size)))
  return {
    ids: content.map(({ id }) => id),
    // A copy without the list, whose key is a symbol.
    ...structuredClone(rest),
    statements: statements.map((text) =>
      /row_number.*count\(\*\)/.test(text) ? 'slice with count' : 'count',
    ),
  }
}

describe('page', () => {
  const ids: number[] = []
  beforeAll(async () => {
    const { id: author_id } = await within(() => makeUser())
    for (let count = 0; count < 45; count++) ids.unshift((await within(() => makeNote({ author_id }))).id)
  })

  it('queries the rows and the count in one statement, newest first', async () => {
    expect(await pageOf(2, 20)).toEqual({
      ids: ids.slice(20, 40),
      page: 2,
      size: 20,
      total_elements: 45,
      total_pages: 3,
      has_next: true,
      has_previous: true,
      statements: ['slice with count'],
    })
  })

  it('returns every row once on all pages together', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7].map((page) => within(() => all.page(new PageRequest(page, 7)))),
    )
    expect(pages.flatMap(({ content }) => content.map(({ id }) => id))).toEqual(ids)
  })

  it('sends no second statement if the rows of the last page show the total', async () => {
    expect(await pageOf(3, 20)).toMatchObject({
      total_elements: 45,
      has_next: false,
      statements: ['slice with count'],
    })
    expect(await pageOf(1, 100)).toMatchObject({
      total_elements: 45,
      total_pages: 1,
      statements: ['slice with count'],
    })
  })

  it('counts for a page beyond the end, and returns its page number', async () => {
    expect(await pageOf(9, 20)).toMatchObject({
      ids: [],
      page: 9,
      total_elements: 45,
      has_previous: true,
      has_next: false,
    })
  })

  it('counts first beyond ten thousand rows, and doesn’t query rows beyond the end', async () => {
    expect(await pageOf(200, 100)).toMatchObject({ ids: [], total_elements: 45, statements: ['count'] })
    expect(await pageOf(4_294_967_295, 100)).toMatchObject({
      ids: [],
      total_elements: 45,
      statements: ['count'],
    })
  })

  it('returns one empty page for an empty list', async () => {
    const nothing = await within(() => all.page(new PageRequest(1, 20), { where: (is) => is('id', '<', 0) }))
    expect(nothing).toMatchObject({ content: [], total_elements: 0, total_pages: 1 })
  })
})

const registry = registryOfResources(resources)

describe('count and findAll', () => {
  it('return the rows in the caller’s scope, narrowed by the options', async () => {
    const author = await within(() => makeUser())
    const [draft] = await within(() =>
      Promise.all([makeNote({ author_id: author.id, published: false }), makeNote({ author_id: author.id })]),
    )
    const seenBy = (userId: number) => {
      const visible = notes.visibleTo(contextOf({ id: 's', userId, name: 'N', roles: [] }, { registry }))
      const mine: ListOptions<typeof Note> = { where: (is) => is('author_id', '=', author.id) }
      return within(async () => [
        await visible.count(mine),
        (await visible.findAll(mine)).some(({ id }) => id === draft?.id),
      ])
    }
    expect(await seenBy(author.id)).toEqual([2, true])
    expect(await seenBy(author.id + 1)).toEqual([1, false])
  })
})

describe('find', () => {
  it('returns deeply frozen rows', async () => {
    const user = await within(async () =>
      users.asSystem('test').find((await makeUser({ roles: ['editor'] })).id),
    )
    expect(() => user?.roles.push('admin')).toThrow(TypeError)
  })

  it('returns a frozen row, and null for an invalid id', async () => {
    const note = await within(() => makeNote())
    expect(Object.isFrozen(await within(() => notes.asSystem('test').find(note.id)))).toBe(true)
    for (const id of [0, -1, 1.5, Number.NaN, 2 ** 53])
      expect(await within(() => notes.asSystem('test').find(id))).toBeNull()
  })

  it('returns timestamps with all digits', async () => {
    const created_at = '2026-04-27T12:00:00.123456Z'
    const note = await within(() => makeNote({ created_at }))
    expect(await within(() => notes.asSystem('test').find(note.id))).toMatchObject({ created_at })
  })
})

describe('asSystem', () => {
  it('throws without a reason', () => {
    expect(() => notes.asSystem(' ')).toThrow('asSystem needs a reason')
  })
})

describe('a value of the database', () => {
  const read = async (expression: string) =>
    (await sql<Record<string, unknown>>`select ${sql.raw(expression)}`.execute(db)).rows[0]

  it('is a number if it is an id, and exact text if it is another large number', async () => {
    expect(await read('7::bigint as id, 8::bigint as author_id, null::bigint as parent_id')).toEqual({
      id: 7,
      author_id: 8,
      parent_id: null,
    })
    expect(await read(`'9007199254740993'::bigint as views, 1.10::numeric as price`)).toEqual({
      views: '9007199254740993',
      price: '1.10',
    })
    expect(await read(`'7'::text as external_id, '2026-04-27'::date as day`)).toEqual({
      external_id: '7',
      day: '2026-04-27',
    })
  })

  it('contains all digits of timestamps, in arrays too', async () => {
    const moment = `'2026-04-27 12:00:00.123456+00'::timestamptz`
    expect(await read(`array[${moment}] as at, array['2026-04-27'::date] as days`)).toEqual({
      at: ['2026-04-27T12:00:00.123456Z'],
      days: ['2026-04-27'],
    })
  })

  it('throws for an id that a number would round', async () => {
    await expect(read(`'9007199254740993'::bigint as id`)).rejects.toThrow('beyond 2^53')
  })
})

describe('withDatabase', () => {
  it('is required by a repository', async () => {
    await expect(notes.asSystem('test').find(1)).rejects.toThrow('wrap it in withDatabase')
  })

  it('separates the databases of concurrent calls', async () => {
    const inside = await db.transaction().execute((transaction) =>
      withDatabase(transaction, async () => {
        const note = await makeNote()
        const outside = await within(() => notes.asSystem('test').find(note.id))
        return [outside, (await notes.asSystem('test').find(note.id))?.id === note.id]
      }),
    )
    expect(inside).toEqual([null, true])
  })
})
