import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { listQuery, PageRequest, withDatabase } from 'pergola'
import { lockTable, testDatabase } from 'pergola/testing'
import { readConfig } from '#app/config.ts'
import { users } from '#app/users/user.repository.ts'
import { User } from '#app/users/user.ts'
import { openDatabase } from './open.ts'

const database = await testDatabase()
const config = readConfig({ NODE_ENV: 'test', DATABASE__SEARCH_TIMEOUT_MS: '50' })
const db = openDatabase(database.url, config, pino({ level: 'silent' }))
afterAll(() => db.destroy())

describe('openDatabase', () => {
  it('ends searches after search_timeout_ms', async () => {
    const query = listQuery({ originalUrl: '/users?q=alice' }, User)
    const search = () => withDatabase(db, () => users.asSystem('test').page(new PageRequest(), { query }))
    const release = await lockTable(database.db, 'users')
    await expect(search()).rejects.toMatchObject({
      status: 503,
      detail: expect.stringContaining('takes too long') as string,
    })
    await release()
    expect((await search()).content).toEqual([])
  })
})
