import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { ownOriginOf } from './own-origin.ts'

const from = (host: string) => ({ headers: { host }, protocol: 'http' }) as Request

describe('ownOriginOf with subdomains', () => {
  const { isOwnHost, ownOrigin } = ownOriginOf({
    baseUrl: 'https://example.org',
    host: '0.0.0.0',
    subdomains: true,
  })

  it.each(['example.org', 'acme.example.org', 'ACME.Example.org', 'a-1.example.org'])(
    'accepts %s',
    (host) => {
      expect(isOwnHost(host)).toBe(true)
    },
  )

  it.each([
    '',
    'example.com',
    'badexample.org',
    '.example.org',
    'eu.acme.example.org',
    'acme..example.org',
    'acme.example.org:8080',
    'acme.example.org.evil.test',
    'evil.test/.example.org',
    'evil.test?.example.org',
    'evil.test@acme.example.org',
    'ac me.example.org',
    'acme_.example.org',
  ])('refuses %o', (host) => {
    expect(isOwnHost(host)).toBe(false)
    expect(ownOrigin(from(host))).toBe('https://example.org')
  })

  it('has an origin for each host, so that one subdomain can’t write to another', () => {
    expect(ownOrigin(from('acme.example.org'))).toBe('https://acme.example.org')
    expect(ownOrigin(from('example.org'))).toBe('https://example.org')
  })

  it('accepts the subdomains of localhost in development', () => {
    const local = ownOriginOf({ baseUrl: undefined, host: '127.0.0.1', subdomains: true })
    for (const host of ['localhost:3000', 'eu.localhost:3000', '127.0.0.1:3000'])
      expect(local.isOwnHost(host)).toBe(true)
    for (const host of ['eu.127.0.0.1:3000', 'eu.us.localhost:3000', 'evil.test:3000', 'evillocalhost'])
      expect(local.isOwnHost(host)).toBe(false)
  })
})

describe('ownOriginOf without subdomains', () => {
  it('refuses them', () => {
    const production = ownOriginOf({ baseUrl: 'https://example.org', host: '0.0.0.0' })
    expect(production.isOwnHost('acme.example.org')).toBe(false)
    expect(production.ownOrigin(from('acme.example.org'))).toBe('https://example.org')
    expect(ownOriginOf({ baseUrl: undefined, host: '127.0.0.1' }).isOwnHost('eu.localhost')).toBe(false)
  })
})
