import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { connectForTests } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { inTransaction } from './transaction.ts'
import { inOwnUnit, currentDatabaseContext, database, executor, withDatabase } from './executor.ts'

const { db } = await testDatabase()

const nowhere = connectForTests('postgres://nobody@127.0.0.1:1/nothing', {
  poolSize: 2,
  connectTimeout: 500,
  statementTimeout: 500,
  lockTimeout: 500,
})

describe('a unit of work', () => {
  it('releases its connections if they could not be opened', async () => {
    await withDatabase(nowhere, async () => {
      for (let count = 0; count < 10; count++)
        await expect(sql`select 1`.execute(database())).rejects.toThrow('ECONNREFUSED')
    })
  })

  it.each([
    ['a query', () => executor().selectFrom('notes').select('id').execute(), 0],
    ['a locking query', () => executor().selectFrom('notes').select('id').forUpdate().execute(), 0],
    ['a delete', () => executor().deleteFrom('notes').where('id', '=', -1).execute(), 1],
    [
      'a query with a write',
      () =>
        executor()
          .with('gone', (other) => other.deleteFrom('notes').where('id', '=', -1).returning('id'))
          .selectFrom('gone')
          .selectAll()
          .execute(),
      1,
    ],
    ['raw SQL', () => sql`select 1`.execute(executor()), 1],
    ['raw SQL that calls a function', () => sql`select pg_notify('a', 'b')`.execute(executor()), 1],
    ['SQL that fails', () => sql`select 1 / 0`.execute(executor()).catch(() => {}), 1],
    ['a transaction', () => inTransaction(() => executor().selectFrom('notes').select('id').execute()), 2],
  ])('counts as a write, unless it only reads: %s', async (_, send, expected) => {
    await withDatabase(db, async () => {
      await send()
      expect(currentDatabaseContext()?.unit.writes).toBe(expected)
    })
  })
})

describe('apart', () => {
  it('keeps the transaction, and counts no writes', async () => {
    await withDatabase(db, () =>
      inTransaction(async () => {
        const outer = currentDatabaseContext()
        await inOwnUnit(async () => {
          expect(currentDatabaseContext()?.transaction).toBe(outer?.transaction)
          await executor().deleteFrom('notes').where('id', '=', -1).execute()
        })
        expect(outer?.unit.writes).toBe(1)
      }),
    )
  })
})
