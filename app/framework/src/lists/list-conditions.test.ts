import { sql, type SqlBool } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { contextOf, PageRequest, scope, withDatabase } from 'pergola'
import { registryOfResources } from 'pergola/app'
import { testDatabase } from 'pergola/testing'
import { makeNote, Note, notes } from '../../test/fixtures/note.ts'
import { resources } from '../../test/fixtures/resources.ts'
import { makeUser } from '../../test/fixtures/user.ts'
import { CursorRequest } from '../pagination/cursor-request.ts'

const { db } = await testDatabase()
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, async () => work())
const guests = notes.visibleTo(contextOf(null, { registry: registryOfResources(resources) }))
const raw = (text: string) => () => sql.raw<SqlBool>(text)

beforeAll(() =>
  within(async () => {
    const { id: author_id } = await makeUser()
    for (const title of ['draft', 'other draft']) await makeNote({ author_id, title, published: false })
    for (const title of ['a', 'b', 'c']) await makeNote({ author_id, title, published: true })
  }),
)

type Where = ReturnType<typeof raw>

/** Each reads the list with a condition, and returns how many rows it found. */
const READS: Record<string, (where: Where) => Promise<number>> = {
  findAll: async (where) => (await guests.findAll({ where })).length,
  count: (where) => guests.count({ where }),
  page: async (where) => (await guests.page(new PageRequest(), { where })).content.length,
  'a deep page': async (where) =>
    (await guests.page(new PageRequest(60, 20), { where, count: 'none' })).content.length,
  cursorPage: async (where) => (await guests.cursorPage(new CursorRequest(), { where })).content.length,
  findInBatches: async (where) => (await guests.findInBatches(10, { where }).nextBatch())?.length ?? 0,
  findEach: async (where) => (await Array.fromAsync(guests.findEach(10, { where }))).length,
}

describe('a condition in raw SQL', () => {
  it.each(Object.entries(READS))(
    'can’t leave its parentheses and widen the scope: %s',
    async (_name, read) => {
      // Each with the parentheses of other statements too.
      for (const text of ['true) or (true', 'true)) or ((true', 'true))) or (((true', "true) or ('a' = 'a'"])
        await expect(within(() => read(raw(text)))).rejects.toThrow('raw SQL with a parenthesis or a quote')
    },
  )

  it.each(Object.entries(READS))('with OR narrows the scope: %s', async (name, read) => {
    const expected = name === 'a deep page' ? 0 : 3
    expect(await within(() => read(raw('false or true')))).toBe(expected)
  })

  it.each(["true or title = '", 'true or "title', '(true', ')', "title = ') or (' or false)"])(
    'must have both of a pair: %s',
    async (text) => {
      await expect(within(() => guests.findAll({ where: raw(text) }))).rejects.toThrow('raw SQL with a')
    },
  )

  it.each([
    "title = 'a) or (true'",
    "title <> E'it\\'s )' and title = 'a'",
    'title = $$a$$ -- )',
    "(title) = ('a')",
  ])('may have parentheses in texts and comments, and pairs: %s', async (text) => {
    const found = await within(() => guests.findAll({ where: raw(`${text}\n`) }))
    expect(found.length).toBeLessThan(2)
  })

  it('may be a template with values between parentheses', async () => {
    const ids = [1, 2, 3].map((id) => sql`${id}::bigint`)
    const found = within(() =>
      guests.findAll({ where: () => sql`(id in (${sql.join(ids)}) or title = ${')'})` }),
    )
    expect(await found).toHaveLength(1)
  })

  it('is checked in a scope, whose tenant it would leave', async () => {
    const loose = scope(Note, { where: raw('true) or (true') })
    const ctx = contextOf(null, { registry: { policies: new Map(), scopes: new Map([[Note, loose]]) } })
    await expect(within(() => notes.visibleTo(ctx).findAll())).rejects.toThrow('raw SQL with a parenthesis')
  })
})
