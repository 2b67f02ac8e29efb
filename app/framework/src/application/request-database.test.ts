import { describe, expect, it } from 'vitest'
import { withDatabase } from 'pergola'
import { fromShard, type ShardOf, Shards } from 'pergola/scale'
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

  it('returns the address itself without shards, or its subdomain', async () => {
    const { db } = await testDatabase()
    expect(withDatabase(db, () => currentAddress(url, byHost))).toBe(url)
    expect(withDatabase(db, () => currentAddress(`${url}:8443`, byHost, 'acme'))).toBe(
      'https://acme.example.org:8443',
    )
  })

  describe('with a shardOf that finds the shard of an account', () => {
    const SHARDS = new Map([
      ['acme.example.org', 'eu'],
      ['globex.example.org', 'us'],
    ])
    const byAccount: ShardOf = ({ headers }) => SHARDS.get(headers.host ?? '') ?? null
    const inEu = (subdomain?: string) => withDatabase(eu.db, () => currentAddress(url, byAccount, subdomain))

    it('returns the address of an account in the shard', () => {
      expect(inEu('acme')).toBe('https://acme.example.org')
    })

    it.each([[undefined], ['globex'], ['unknown']])(
      'throws for the subdomain %s, which would be refused',
      (name) => {
        expect(() => inEu(name)).toThrow(`shardOf doesn't return eu for ${name ?? 'eu'}.example.org`)
      },
    )

    it.each(['', 'a.acme', 'evil.test/', 'evil.test?', 'acme@evil', 'ac me'])('throws for %j', (name) => {
      expect(() => inEu(name)).toThrow('is not a subdomain')
    })
  })
})
