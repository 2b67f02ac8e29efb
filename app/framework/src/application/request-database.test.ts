import { describe, expect, it } from 'vitest'
import { Shards } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { addressesOf } from './request-database.ts'

const eu = await testDatabase()
const us = await testDatabase()
const shards = Shards.of([
  ['eu', eu.db],
  ['us', us.db],
])

describe('addressesOf', () => {
  const url = 'http://localhost:3000'

  it('returns the address itself without shards', () => {
    expect(addressesOf(url, eu.db, () => null)).toEqual([url])
  })

  it('returns the subdomains that are in their shards', () => {
    expect(addressesOf(url, shards, ({ headers }) => headers.host?.split('.', 1)[0] ?? null)).toEqual([
      'http://eu.localhost:3000',
      'http://us.localhost:3000',
    ])
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
