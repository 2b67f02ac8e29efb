import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { listQuery, PageRequest, withDatabase } from 'pergola'
import { lockTable, testDatabase } from 'pergola/testing'
import { readConfig } from '#app/config.ts'
import { users } from '#app/users/user.repository.ts'
import { User } from '#app/users/user.ts'
import { databasesOf, openDatabase } from './open.ts'

const database = await testDatabase()
const config = readConfig({ NODE_ENV: 'test', DATABASE__SEARCH_TIMEOUT_MS: '50' })
const db = openDatabase(database.url, config, pino({ level: 'silent' }))
afterAll(() => db.destroy())

describe('databasesOf', () => {
  const url = (name: string) => `postgres://u@127.0.0.1/${name}`
  const sharded = readConfig({
    NODE_ENV: 'test',
    DATABASE__SHARDS: JSON.stringify([
      { name: 'eu', url: url('eu'), migration_url: url('owner'), replica_urls: [url('copy')] },
      { name: 'us', url: url('us') },
    ]),
  })

  it('returns the configuration itself without shards', () => {
    expect(databasesOf(config)).toEqual([config])
  })

  it('returns a configuration for each shard, with its own URLs only', () => {
    expect(databasesOf(sharded)).toMatchObject([
      {
        shard: 'eu',
        database: { url: url('eu'), migration_url: url('owner'), replica_urls: [url('copy')], pool_size: 10 },
      },
      { shard: 'us', database: { url: url('us'), replica_urls: [] } },
    ])
    const [, us] = databasesOf(sharded)
    expect(us?.database.migration_url).toBeUndefined()
    expect(us && databasesOf(us)).toEqual([us])
  })
})

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
