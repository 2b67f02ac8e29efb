import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { isPooled, testDatabase } from 'pergola/testing'
import { resources } from '../../test/fixtures/resources.ts'
import { makeNote } from '../../test/fixtures/note.ts'
import { database, lockingReads, withDatabase } from './executor.ts'
import { readColumns } from './known-columns.ts'
import { prepared } from './prepared.ts'
import { inTransaction } from './transaction.ts'

const { db, statements, url } = await testDatabase()
const pooled = await isPooled(url)

let builds = 0
const titlesOf = prepared(({ id, title }: { id: number; title: string }) => {
  builds++
  return database().selectFrom('notes').select('title').where('id', '>=', id).where('title', '<>', title)
})
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const pid = prepared(() => database().selectNoFrom(sql<number>`pg_backend_pid()`.as('pid')))

beforeAll(async () => {
  await readColumns(resources, db, null)
  await within(async () => {
    await makeNote({ title: 'first' })
    await makeNote({ title: 'second' })
  })
})

describe('prepared', () => {
  it('compiles a query once, and sends it with other values', async () => {
    await within(async () => {
      expect(await titlesOf.rows({ id: 0, title: 'first' })).toEqual([{ title: 'second' }])
      expect(await titlesOf.rows({ id: 0, title: 'second' })).toEqual([{ title: 'first' }])
      expect(await titlesOf.first({ id: 999, title: '' })).toBeUndefined()
    })
    expect(builds).toBe(1)
  })

  it('is part of a transaction', async () => {
    await within(() =>
      inTransaction(async () => {
        await makeNote({ title: 'third' })
        expect(await titlesOf.rows({ id: 0, title: '' })).toHaveLength(3)
      }),
    )
  })

  it('locks its rows for a decision', async () => {
    statements.length = 0
    await within(() => inTransaction(() => lockingReads(() => titlesOf.rows({ id: 0, title: '' }))))
    expect(statements.join()).toContain('for key share')
  })

  it.skipIf(pooled)('shares the connection of its request with others at the same time', async () => {
    await within(() => pid.first({}))
    const [one, other] = await within(() => Promise.all([pid.first({}), pid.first({})]))
    expect(one).toEqual(other)
    const [here, there] = await Promise.all([within(() => pid.first({})), within(() => pid.first({}))])
    expect(here).not.toEqual(there)
  })

  it('fails alone', async () => {
    const broken = prepared(() => database().selectNoFrom(sql<number>`1 / 0`.as('value')))
    await within(async () => {
      const [failed, found] = await Promise.allSettled([broken.rows({}), titlesOf.rows({ id: 0, title: '' })])
      expect(failed.status).toBe('rejected')
      expect(found).toMatchObject({ value: { length: 3 } })
    })
  })

  it('needs a database', async () => {
    await expect(pid.first({})).rejects.toThrow('No database is available')
  })
})
