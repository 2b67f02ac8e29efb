import { describe, expect, it } from 'vitest'
import { withDatabase } from 'pergola'
import { fromShard, Shards } from 'pergola/scale'
import { testDatabase } from 'pergola/testing'
import { absoluteUrl } from './links.ts'
import { readConfig } from '#app/config.ts'

const [eu, us, single] = [await testDatabase(), await testDatabase(), await testDatabase()]
Shards.of([
  ['eu', eu.db],
  ['us', us.db],
])
const env = { NODE_ENV: 'test', BASE_URL: 'https://example.org' }
const config = readConfig(env)
const link = () => absoluteUrl({ config }, '/login')

describe('absoluteUrl without a request', () => {
  it('begins with BASE_URL', () => {
    expect(withDatabase(single.db, link)).toBe('https://example.org/login')
  })

  it('begins with the subdomain of the shard', async () => {
    const links = withDatabase(eu.db, async () => [link(), await fromShard('us', async () => link())])
    expect(await links).toEqual(['https://eu.example.org/login', 'https://us.example.org/login'])
  })

  it('begins with the subdomain of an account', () => {
    const accounts = readConfig({ ...env, SERVER__SUBDOMAINS: 'true' })
    const of = (settings: typeof config) =>
      withDatabase(single.db, () => absoluteUrl({ config: settings, subdomain: 'acme' }, '/login'))
    expect(of(accounts)).toBe('https://acme.example.org/login')
    expect(() => of(config)).toThrow('Set subdomains = true')
  })

  it('has the port of this machine without BASE_URL', () => {
    const local = readConfig({ NODE_ENV: 'development', PORT: '3001' })
    expect(withDatabase(single.db, () => absoluteUrl({ config: local }, '/login'))).toBe(
      'http://localhost:3001/login',
    )
  })
})
