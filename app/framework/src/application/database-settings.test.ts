import { describe, expect, it } from 'vitest'
import { databaseConfig } from '../../test/fixtures/database-config.ts'
import { conflictingUrls, databasesOf } from './database-settings.ts'

const url = (name: string) => `postgres://u@127.0.0.1/${name}`
const sharded = databaseConfig({
  shards: [
    { name: 'eu', url: url('eu'), migration_url: url('owner'), replica_urls: [url('copy')] },
    { name: 'us', url: url('us'), replica_urls: [] },
    { name: 'asia', replica_urls: [] },
  ],
})

describe('databasesOf', () => {
  it('returns the configuration itself without shards', () => {
    const config = databaseConfig({ url: url('one') })
    expect(databasesOf(config)).toEqual([config])
  })

  it('returns a configuration for each shard, with its own URLs only', () => {
    const [eu, us, asia] = databasesOf(sharded)
    expect(eu).toMatchObject({
      shard: 'eu',
      database: { url: url('eu'), migration_url: url('owner'), replica_urls: [url('copy')], pool_size: 5 },
    })
    expect(us).toMatchObject({ shard: 'us', database: { url: url('us'), replica_urls: [] } })
    expect(us?.database.migration_url).toBeUndefined()
    expect(asia?.database.url).toBeUndefined()
    expect(us && databasesOf(us)).toEqual([us])
  })

  it('returns the others of a shard without their URLs, if they have none', () => {
    const [eu] = databasesOf(sharded)
    const { shard: _own, ...all } = eu as NonNullable<typeof eu>
    expect(databasesOf(all).map(({ database }) => database.url)).toEqual([url('eu'), url('us'), undefined])
  })
})

describe('conflictingUrls', () => {
  it('finds URLs beside shards, which no request would read', () => {
    expect(conflictingUrls(sharded.database)).toBeNull()
    expect(conflictingUrls({ replica_urls: [], shards: [], url: url('one') })).toBeNull()
    for (const own of [{ url: url('one') }, { migration_url: url('one') }, { replica_urls: [url('one')] }])
      expect(conflictingUrls({ ...sharded.database, ...own })).toContain('database.shards is set, and so is')
  })
})
