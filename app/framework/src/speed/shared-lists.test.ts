import { type KyselyPlugin, sql, type SqlBool } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contextOf, PageRequest, withDatabase } from 'pergola'
import { registryOfResources } from 'pergola/app'
import { connectForTests } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import type { Sent } from '../../test/fixtures/executed-plans.ts'
import { makeNote, Note, notes } from '../../test/fixtures/note.ts'
import { resources } from '../../test/fixtures/resources.ts'
import { makeUser } from '../../test/fixtures/user.ts'
import { CursorRequest } from '../pagination/cursor-request.ts'
import { allRows, listSource } from '../lists/list-source.ts'
import { executeShared } from './shared-lists.ts'

const database = await testDatabase()
const sent: Sent[] = []
const db = connectForTests(database.url, {
  onStatement: (text, parameters) => sent.push({ text, parameters }),
})
afterAll(() => db.destroy())
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)

const registry = registryOfResources(resources)
const visibleTo = (userId: number) =>
  notes.visibleTo(contextOf({ id: 's', userId, name: 'User', roles: [] }, { registry }))
const all = notes.asSystem('test')
const page = new PageRequest(1, 3)
const titlesOf = ({ content }: { content: readonly Note[] }) => content.map(({ title }) => title).toSorted()

const users: number[] = []
/** The titles of the notes that only this user sees. */
const own = (user: number) => [1, 2, 3, 4, 5].map((n) => `${user}-${n}`)

beforeAll(async () => {
  for (let user = 0; user < 4; user++) {
    const { id } = await within(() => makeUser())
    users.push(id)
    for (const title of own(id)) await within(() => makeNote({ title, author_id: id, published: false }))
  }
})
beforeEach(() => {
  sent.length = 0
})

describe('two requests for the same list', () => {
  it.each(['offset', 'offset with a count', 'cursor'])(
    'at the same time have their own values: %s',
    async (kind) => {
      const read = async (user: number) => {
        const list = visibleTo(user)
        if (kind === 'cursor') return titlesOf(await list.cursorPage(new CursorRequest(null, 5)))
        return titlesOf(await list.page(new PageRequest(1, kind === 'offset' ? 100 : 4)))
      }
      const readers = Array.from({ length: 40 }, (_, n) => users[n % users.length]!)
      const pages = await Promise.all(readers.map((user) => within(() => read(user))))
      expect(pages).toEqual(readers.map((user) => own(user).slice(kind === 'offset with a count' ? 1 : 0)))
      const lists = sent.filter(({ text }) => text.includes('/* list */'))
      expect(new Set(lists.map(({ text }) => text)).size).toBe(1)
      // The condition is `published = true or author_id = $1`.
      const callers = lists.map(({ parameters: [user] }) => Number(user))
      expect(callers.toSorted((a, b) => a - b)).toEqual(readers.toSorted((a, b) => a - b))
    },
  )

  it('have the values of their options', async () => {
    const [user = 0] = users
    const read = (title: string) =>
      within(() => visibleTo(user).page(page, { where: (is) => is('title', '=', title) }))
    const pages = await Promise.all(own(user).map(read))
    expect(pages.map(titlesOf)).toEqual(own(user).map((title) => [title]))
    // The values of two conditions may be equal.
    const same =
      (n: number) => (is: Parameters<NonNullable<Parameters<typeof all.page>[1]>['where'] & {}>[0]) =>
        is.and([is('author_id', '=', n), is('author_id', '=', n)])
    const both = await Promise.all(
      users.map((n) => within(() => visibleTo(n).page(page, { where: same(n) }))),
    )
    expect(both.map(({ total_elements }) => total_elements)).toEqual(users.map(() => 5))
  })

  it('have their own literals', async () => {
    const [first = 0, second = 0] = users
    const read = (user: number) =>
      within(() =>
        all.page(page, { where: () => sql<SqlBool>`author_id = ${sql.lit(user)} and title like '%-2'` }),
      )
    expect((await Promise.all([read(first), read(second), read(first)])).map(titlesOf)).toEqual([
      [`${first}-2`],
      [`${second}-2`],
      [`${first}-2`],
    ])
  })

  it('may have conditions with different numbers of values', async () => {
    const [user = 0] = users
    const read = (titles: string[]) =>
      within(() => all.page(new PageRequest(1, 1), { where: (is) => is('title', 'in', titles) }))
    const pages = await Promise.all([1, 5, 2, 0, 3].map((length) => read(own(user).slice(0, length))))
    expect(pages.map(({ total_elements }) => total_elements)).toEqual([1, 5, 2, 0, 3])
  })

  it('may have values and literals like a placeholder', async () => {
    const [author_id = 0] = users
    const texts = ['\u0001-1\u0001', '\u00010\u0001', '$1', '$2', "'"]
    for (const title of texts) await within(() => makeNote({ title, author_id }))
    for (const text of texts) {
      const literal = within(() => all.page(page, { where: () => sql<SqlBool>`title = ${sql.lit(text)}` }))
      const value = within(() => visibleTo(0).page(page, { where: (is) => is('title', '=', text) }))
      expect([titlesOf(await literal), titlesOf(await value)]).toEqual([[text], [text]])
    }
  })
})

describe('executeShared', () => {
  const source = listSource(Note, allRows(Note))
  let builds = 0
  beforeEach(() => {
    builds = 0
  })
  const statement = (shape: string | null, condition = sql<SqlBool>`true`) => ({
    resource: Note,
    shape,
    condition,
    numbers: [2],
    build: ({
      condition: narrowed,
      numbers,
    }: Parameters<Parameters<typeof executeShared>[0]['build']>[0]) => {
      builds++
      return source.rows({}, narrowed).orderBy('id').limit(numbers[0]!)
    },
  })

  it('builds a statement once for each shape', async () => {
    const [first, second] = await within(async () => [
      await executeShared(statement('a')),
      await executeShared(statement('a')),
    ])
    expect([first, builds]).toEqual([second, 1])
  })

  it('keeps the last 100 shapes that were used', async () => {
    const read = (n: number) => within(() => executeShared(statement(`shape ${n}`)))
    for (let n = 0; n < 100; n++) await read(n)
    await read(0)
    expect(builds).toBe(100)
    for (const n of [100, 99, 0]) await read(n)
    expect(builds).toBe(101)
    await read(1)
    expect(builds).toBe(102)
  })

  it('builds a statement once for each text of its condition', async () => {
    const read = (condition: ReturnType<typeof sql<SqlBool>>) =>
      within(() => executeShared(statement('by condition', condition)))
    for (const title of ['1-1', '1-2']) await read(sql<SqlBool>`title = ${title}`)
    await read(sql<SqlBool>`title <> ${'1-1'}`)
    expect(builds).toBe(2)
    const long = sql<SqlBool>`id in (${sql.join(Array.from({ length: 2_000 }, (_, id) => id))})`
    for (const condition of [long, long]) await read(condition)
    expect(builds).toBe(4)
  })

  it('builds each statement without a shape', async () => {
    const once = () => within(() => executeShared(statement(null)))
    expect(await once()).toEqual(await once())
    expect(builds).toBe(2)
  })

  it('shows a plugin the nodes with the values', async () => {
    const values: unknown[] = []
    const plugin: KyselyPlugin = {
      transformQuery({ node }) {
        values.push(...JSON.stringify(node).matchAll(/"a title"/g))
        return node
      },
      transformResult: ({ result }) => Promise.resolve(result),
    }
    const condition = sql<SqlBool>`title = ${'a title'}`
    await within(() => executeShared(statement('with plugin', condition)))
    await withDatabase(db.withPlugin(plugin), () => executeShared(statement('with plugin', condition)))
    expect([values.length, builds]).toEqual([1, 2])
  })

  it('throws for a statement with other values, since requests would share them', async () => {
    const build = () => source.rows({}, sql<SqlBool>`title = ${'of another request'}`)
    const shared = within(() => executeShared({ ...statement('with a value'), build }))
    await expect(shared).rejects.toThrow('has values besides its condition and its numbers')
  })
})
