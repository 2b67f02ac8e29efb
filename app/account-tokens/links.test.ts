import express, { type Request } from 'express'
import { describe, expect, it } from 'vitest'
import { useParts } from '#app/config-of.ts'
import { type Config, readConfig } from '#app/config.ts'
import { linkTo } from './links.ts'

const production = (env: Record<string, string> = {}) =>
  readConfig({
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://nobody@nowhere.invalid/nothing',
    BASE_URL: 'https://example.org',
    SESSION__SECRET: 'a secret of more than thirty-two characters',
    ...env,
  })
function linkFrom(host: string, config: Config, returnTo?: string) {
  const app = express()
  useParts(app, { config, resources: [] })
  return linkTo({ app, headers: { host }, protocol: 'http' } as unknown as Request, {
    purpose: 'sign-up',
    token: 'T',
    ...(returnTo !== undefined && { returnTo }),
  })
}

describe('linkTo', () => {
  it('uses BASE_URL in production, for every Host header', () => {
    for (const host of ['example.org', 'evil.example', 'evil.example:443', 'acme.example.org'])
      expect(linkFrom(host, production())).toBe('https://example.org/signup/confirm?token=T')
  })

  it('uses the subdomain of the request if subdomains are enabled, and no other host', () => {
    const config = production({ SERVER__SUBDOMAINS: 'true' })
    expect(linkFrom('acme.example.org', config)).toBe('https://acme.example.org/signup/confirm?token=T')
    expect(linkFrom('evil.example', config)).toBe('https://example.org/signup/confirm?token=T')
  })

  it('uses the host of the request in development', () => {
    const config = readConfig({ NODE_ENV: 'development' })
    expect(linkFrom('localhost:3000', config)).toBe('http://localhost:3000/signup/confirm?token=T')
  })

  it('contains the page to return to, encoded', () => {
    expect(linkFrom('example.org', production(), '/notes?page=2&x=#a')).toBe(
      'https://example.org/signup/confirm?token=T&return_to=%2Fnotes%3Fpage%3D2%26x%3D%23a',
    )
  })
})
