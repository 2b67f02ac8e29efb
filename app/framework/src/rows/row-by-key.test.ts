import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { connectForTests } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { makeNote, notes } from '../../test/fixtures/note.ts'
import { sessionsOf } from '../database/connect.ts'
import { currentDatabaseContext, database, withDatabase } from '../database/executor.ts'
import { lockingReads } from './key-share-locks.ts'
import { rowByKey } from './row-by-key.ts'
import { inTransaction } from '../database/transaction.ts'
import { isPlain } from '../../test/fixtures/plain.ts'

const { db, statements, url } = await testDatabase()

const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const find = rowByKey('id', (ids: readonly number[]) =>
  database().selectFrom('notes').select(['id', 'title']).where('id', 'in', ids),
)

let first = 0
let second = 0
beforeAll(async () => {
  ;[first, second] = await within(async () => [
    (await makeNote({ title: 'first' })).id,
    (await makeNote({ title: 'second' })).id,
  ])
})
beforeEach(() => {
  statements.length = 0
})

describe('rowByKey', () => {
  it('leaves no connection open when the database is destroyed', async () => {
    const own = connectForTests(url)
    await withDatabase(own, () => find(first))
    await own.destroy()
    expect(sessionsOf(own)?.pool.totalCount).toBe(0)
    await own.destroy()
  })

  it.skipIf(isPlain)(
    'sends one statement for calls at the same moment, also of different requests',
    async () => {
      const found = await Promise.all([
        within(() => Promise.all([find(first), find(second)])),
        within(() => find(first)),
        within(() => find(-1)),
      ])
      expect(found).toEqual([
        [
          { id: first, title: 'first' },
          { id: second, title: 'second' },
        ],
        { id: first, title: 'first' },
        undefined,
      ])
      expect(statements).toHaveLength(1)
    },
  )

  it('gives each caller an object of its own', async () => {
    const [one, other] = await Promise.all([within(() => find(first)), within(() => find(first))])
    expect(one).toEqual(other)
    expect(one).not.toBe(other)
  })

  it.skipIf(isPlain)('freezes the values that the objects share', async () => {
    const withTags = rowByKey('id', (ids: readonly number[]) =>
      database()
        .selectFrom('notes')
        .select(['id', sql<{ names: string[] }>`'{"names": ["a"]}'::jsonb`.as('tags')])
        .where('id', 'in', ids),
    )
    const [one, other] = await Promise.all([within(() => withTags(first)), within(() => withTags(first))])
    expect(() => one?.tags.names.push('b')).toThrow('not extensible')
    expect(() => Object.assign(one!.tags, { names: [] })).toThrow('read only')
    expect(other).toEqual({ id: first, tags: { names: ['a'] } })
  })

  it.skipIf(isPlain)('sends the statement outside of the requests that share it', async () => {
    const places: unknown[] = []
    const watched = connectForTests(url, { onStatement: () => places.push(currentDatabaseContext()) })
    onTestFinished(() => watched.destroy())
    places.length = 0
    await Promise.all([first, second].map((id) => withDatabase(watched, () => find(id))))
    expect(places).toEqual([undefined])
  })

  it('finds no row whose key has another text, shared or in a transaction', async () => {
    const byText = rowByKey('key', (keys: readonly string[]) =>
      database()
        .selectFrom('notes')
        .select([sql<string>`id::text`.as('key'), 'title'])
        .where('id', 'in', keys as never),
    )
    const read = () => Promise.all([byText(`${first}`), byText(`0${first}`), byText(` ${first}`)])
    const found = [{ key: `${first}`, title: 'first' }, undefined, undefined]
    expect(await within(read)).toEqual(found)
    expect(await within(() => inTransaction(read))).toEqual(found)
  })

  it('reads a row again for each moment', async () => {
    await within(() => find(second))
    await within(() => notes.asSystem('test').update(second, { title: 'changed' }))
    expect(await within(() => find(second))).toMatchObject({ title: 'changed' })
    await within(() => notes.asSystem('test').update(second, { title: 'second' }))
  })

  it.skipIf(isPlain)('sends several statements for more than 128 keys', async () => {
    const ids = Array.from({ length: 257 }, (_, index) => index - 1_000)
    await within(() => Promise.all([...ids, first].map((id) => find(id))))
    expect(statements).toHaveLength(3)
  })

  it('is part of a transaction', async () => {
    await within(() =>
      inTransaction(async () => {
        await notes.asSystem('test').update(first, { title: 'uncommitted' })
        expect(await find(first)).toMatchObject({ title: 'uncommitted' })
        expect(await withDatabase(db, () => find(first))).toMatchObject({ title: 'first' })
        await notes.asSystem('test').update(first, { title: 'first' })
      }),
    )
  })

  it('locks the row for a decision', async () => {
    await within(() => inTransaction(() => lockingReads(() => find(first))))
    expect(statements.join()).toContain('for key share')
  })

  it('rejects all calls of a statement that fails', async () => {
    const broken = rowByKey('id', (ids: readonly number[]) =>
      database().selectNoFrom([
        sql<number>`1 / 0`.as('id'),
        sql`array[${sql.join(ids)}]::bigint[]`.as('ids'),
      ]),
    )
    const settled = await Promise.allSettled([within(() => broken(1)), within(() => broken(2))])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await within(() => find(first))).toBeDefined()
  })

  it('finds the other rows if Postgres rejects the value of one key', async () => {
    const keys = [first, 2 ** 70]
    const settled = await Promise.allSettled(keys.map((key) => within(() => find(key))))
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })

  it('finds the other rows if the id in a row is too large for a number', async () => {
    const linked = rowByKey('id', (ids: readonly number[]) =>
      database()
        .selectFrom('notes')
        .select([
          'id',
          sql<number>`case when id = ${sql.lit(first)} then 2::bigint ^ 60 end::bigint`.as('other_id'),
        ])
        .where('id', 'in', ids),
    )
    const settled = await Promise.allSettled([first, second].map((key) => within(() => linked(key))))
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })

  it('throws for a query that depends on the caller, also in a transaction', async () => {
    const draftOf = (userId: number) =>
      rowByKey('id', (ids: readonly number[]) =>
        database().selectFrom('notes').select('id').where('id', 'in', ids).where('author_id', '=', userId),
      )
    await expect(within(() => draftOf(7)(first))).rejects.toThrow(
      'The only parameters of a query of rowByKey',
    )
    await expect(within(() => inTransaction(() => draftOf(7)(first)))).rejects.toThrow(
      "where('id', 'in', keys)",
    )
    expect(statements.filter((text) => text.includes('author_id'))).toEqual([])
  })

  it('needs a database', async () => {
    await expect(find(1)).rejects.toThrow('No database is available')
  })
})
