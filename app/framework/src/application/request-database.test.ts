import { describe, expect, it } from 'vitest'
import { fromShard, type ShardOf, Shards, withDatabase } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { addressesOf, currentAddress } from './request-database.ts'

const eu = await testDatabase()
const us = await testDatabase()
const shards = Shards.of([
  ['eu', eu.db],
  ['us', us.db],
])

const byHost: ShardOf = ({ headers }) => headers.host?.split('.', 1)[0] ?? null

describe('addressesOf', () => {
  const url = 'http://localhost:3000'

  it('returns the address itself without shards', () => {
    expect(addressesOf(url, eu.db, () => null)).toEqual([url])
  })

  it('returns the subdomains that are in their shards', () => {
    expect(addressesOf(url, shards, byHost)).toEqual(['http://eu.localhost:3000', 'http://us.localhost:3000'])
  })

  it('returns no address that shardOf refuses, directs to another shard, or throws for', () => {
    expect(addressesOf(url, shards, () => null)).toEqual([])
    expect(addressesOf(url, shards, () => 'eu')).toEqual(['http://eu.localhost:3000'])
    const shardOf = () => {
      throw new Error('The directory of tenants is empty.')
    }
    expect(addressesOf(url, shards, shardOf)).toEqual([])
    expect(addressesOf('http://127.0.0.1:3000', shards, ({ headers }) => headers.host ?? '')).toEqual([])
  })
})

describe('currentAddress', () => {
  const url = 'https://example.org'

  it('returns the subdomain of the running code’s shard', async () => {
    const addresses = withDatabase(eu.db, async () => [
      currentAddress(url, byHost),
      await fromShard('us', async () => currentAddress(url, byHost)),
    ])
    expect(await addresses).toEqual(['https://eu.example.org', 'https://us.example.org'])
  })

  it('returns the address itself without shards, and if shardOf doesn’t recognize the subdomain', async () => {
    const { db } = await testDatabase()
    expect(withDatabase(db, () => currentAddress(url, byHost))).toBe(url)
    expect(withDatabase(us.db, () => currentAddress(url, () => 'eu'))).toBe(url)
  })
})
