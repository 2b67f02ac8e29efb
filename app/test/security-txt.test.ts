import { describe, expect, it } from 'vitest'
import { testDatabase } from 'pergola/testing'
import { readConfig } from '#app/config.ts'
import { testApp } from './test-app.ts'

const SETTINGS = {
  SECURITY_TXT__CONTACT: 'mailto:security@example.org',
  SECURITY_TXT__EXPIRES: '2099-01-01T00:00:00+01:00',
}
const database = await testDatabase()
const app = await testApp({ database, env: SETTINGS })

describe('GET /.well-known/security.txt', () => {
  it('returns the contact and the expiry', async () => {
    const { status, headers, text } = await app.guest.get('/.well-known/security.txt')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toBe('Contact: mailto:security@example.org\nExpires: 2099-01-01T00:00:00+01:00\n')
  })

  it('returns the policy', async () => {
    const withPolicy = await testApp({
      database,
      env: { ...SETTINGS, SECURITY_TXT__POLICY: 'https://example.org/policy' },
    })
    const { text } = await withPolicy.guest.get('/.well-known/security.txt')
    expect(text).toContain('\nPolicy: https://example.org/policy\n')
  })

  it('returns 404 without a contact', async () => {
    const without = await testApp({ database })
    expect((await without.guest.get('/.well-known/security.txt')).status).toBe(404)
  })
})

describe('the settings of security.txt', () => {
  it.each([
    [{ SECURITY_TXT__CONTACT: SETTINGS.SECURITY_TXT__CONTACT }, 'security_txt.expires'],
    [{ SECURITY_TXT__EXPIRES: SETTINGS.SECURITY_TXT__EXPIRES }, 'security_txt.contact'],
    [{ ...SETTINGS, SECURITY_TXT__CONTACT: 'security@example.org' }, 'mailto:security@example.org'],
    [{ ...SETTINGS, SECURITY_TXT__CONTACT: 'https://example.org/\nPolicy: x' }, 'security_txt.contact'],
    [{ ...SETTINGS, SECURITY_TXT__EXPIRES: '2099-01-01' }, '2027-01-01T00:00:00Z'],
    [{ ...SETTINGS, SECURITY_TXT__POLICY: 'http://example.org' }, 'security_txt.policy'],
  ])('are rejected: %o', (env, message) => {
    expect(() => readConfig({ NODE_ENV: 'test', ...env })).toThrow(message)
  })
})
