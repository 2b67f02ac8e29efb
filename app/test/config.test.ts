import { describe, expect, it } from 'vitest'
import { readConfig } from '#app/config.ts'

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:5432/app',
  BASE_URL: 'https://example.org',
  SESSION__SECRET: 'x'.repeat(32),
}

describe('readConfig', () => {
  it('lays the profile over the common values, and the environment over both', () => {
    expect(readConfig({ NODE_ENV: 'development' }).accounts.demo).toBe(true)
    expect(readConfig({ NODE_ENV: 'development', ACCOUNTS__DEMO: 'false' }).accounts.demo).toBe(false)
    expect(readConfig({ ...production, PORT: '8080' }).server).toMatchObject({
      port: 8080,
      base_url: 'https://example.org',
    })
  })

  it('takes the short name where both are set', () => {
    for (const env of [
      { PORT: '1', SERVER__PORT: '2' },
      { SERVER__PORT: '2', PORT: '1' },
    ]) {
      expect(readConfig({ NODE_ENV: 'test', ...env }).server.port).toBe(1)
    }
  })

  it('can’t be changed', () => {
    const config = readConfig({ NODE_ENV: 'test' })
    expect(() => Object.assign(config.security, { forbidden_response: '403' })).toThrow(TypeError)
    expect(() => Object.assign(config, { profile: 'production' })).toThrow(TypeError)
  })

  it('reads BASE_URL as the origin it names', () => {
    expect(readConfig({ ...production, BASE_URL: 'HTTPS://Example.org:443/' }).server.base_url).toBe(
      'https://example.org',
    )
  })

  it('reads no section out of names that every object has', () => {
    expect(() => readConfig({ NODE_ENV: 'test', CONSTRUCTOR__X: '1', __PROTO____X: '1' })).not.toThrow()
  })

  it('reads an empty variable as one that isn’t set', () => {
    const { port } = readConfig({ NODE_ENV: 'test' }).server
    expect(readConfig({ NODE_ENV: 'test', DATABASE_URL: '', PORT: '' }).server.port).toBe(port)
  })

  it.each([
    [
      { SECURITY__FORBIDDEN_RESPONSE: '402' },
      `The configuration's security.forbidden_response is "402"; legal is "404", "403" or "auto".`,
    ],
    [{ PORT: 'http' }, `The configuration's server.port is "http"; legal is a whole number from 0 to 65535.`],
    [
      { PORT: '70000' },
      `The configuration's server.port is "70000"; legal is a whole number from 0 to 65535.`,
    ],
    [{ PORT: ' ' }, `The configuration's server.port is " "; legal is a whole number from 0 to 65535.`],
    [{ PORT: '0x50' }, `The configuration's server.port is "0x50"; legal is a whole number from 0 to 65535.`],
    [
      { BASE_URL: 'https://example.org/blog' },
      `The configuration's server.base_url is "https://example.org/blog"; legal is an http or https address without a path.`,
    ],
    [
      { SESSION__SECRET: 'short' },
      `The configuration's session.secret is not legal; legal is 32 or more random characters.`,
    ],
    [
      { BASE_URL: 'example.org' },
      `The configuration's server.base_url is "example.org"; legal is an http or https address without a path.`,
    ],
    [
      { ACCOUNTS__SIGN_UP: 'perhaps' },
      `The configuration's accounts.sign_up is "perhaps"; legal is true or false.`,
    ],
    [{ NODE_ENV: 'staging' }, 'NODE_ENV is "staging"; legal are development, test and production.'],
    [
      { SECURITY__FORBIDEN_RESPONSE: '403' },
      'The configuration has no security.forbiden_response; legal are forbidden_response, allow_unauthorized_repository_api.',
    ],
  ])('refuses %o in one sentence that says what is legal', (env, sentence) => {
    expect(() => readConfig({ NODE_ENV: 'test', ...env })).toThrow(new Error(sentence))
  })

  it('never repeats a secret in its refusal', () => {
    const message = (env: object) => {
      try {
        readConfig({ ...production, ...env })
        return 'nothing was refused'
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(message({ DATABASE_URL: 'mysql://user:hunter2@host/app' })).not.toContain('hunter2')
    expect(message({ DATABASE_URL: 'mysql://user:hunter2@host/app' })).toContain('database.url is not legal')
    expect(message({ SESSION__SECRET: 'hunter2' })).not.toContain('hunter2')
  })

  it.each([
    [{ DATABASE_URL: undefined }, 'DATABASE_URL is missing'],
    [{ BASE_URL: undefined }, 'BASE_URL is missing'],
    [{ SESSION__SECRET: undefined }, 'SESSION__SECRET is missing'],
    [{ SESSION__SECRET: 'short' }, 'session.secret is not legal; legal is 32 or more random characters'],
    [
      { SESSION__SECRET: 'replace-me-with-32-or-more-random-characters' },
      'SESSION__SECRET is the one of .env.example',
    ],
    [{ ACCOUNTS__DEMO: 'true' }, 'accounts.demo is true'],
  ])('refuses in production: %o', (env, reason) => {
    expect(() => readConfig({ ...production, ...env })).toThrow(reason)
    expect(() => readConfig(production)).not.toThrow()
  })
})
