import { afterAll, describe, expect, it } from 'vitest'
import { connectForTests } from 'pergola/lab'
import { lockTable, lockWait, testDatabase } from 'pergola/testing'
import { database, withDatabase } from './executor.ts'

const { db, url } = await testDatabase()
const sent: string[] = []
const pool = connectForTests(url, { poolSize: 10, onStatement: (text) => sent.push(text) })
afterAll(() => pool.destroy())

describe('a unit', () => {
  it('has four connections at once, and gives them back for its further statements', async () => {
    const release = await lockTable(db, 'notes')
    const read = () => database().selectFrom('notes').select('id').execute()
    const reads = withDatabase(pool, () => Promise.all(Array.from({ length: 9 }, read)))
    await lockWait(db, 4)
    const other = withDatabase(pool, read)
    await lockWait(db, 5)
    expect(sent.filter((text) => text.includes('"notes"'))).toHaveLength(5)
    await release()
    expect([(await reads).length, await other]).toEqual([9, []])
  })
})
