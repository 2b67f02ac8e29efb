import { describe, expect, it } from 'vitest'
import { readConfig } from '#app/config.ts'

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:5432/app',
  BASE_URL: 'https://example.org',
  SESSION__SECRET: 'Tz0Q2n6rV9yX1cE4gH7jK3mP5sU8wB0d',
}

describe('readConfig', () => {
  it('overrides common values by the profile, and both by the environment', () => {
    expect(readConfig({ NODE_ENV: 'development' }).accounts.demo).toBe(true)
    expect(readConfig({ NODE_ENV: 'development', ACCOUNTS__DEMO: 'false' }).accounts.demo).toBe(false)
    expect(readConfig({ ...production, PORT: '8080' }).server).toMatchObject({
      port: 8080,
      base_url: 'https://example.org',
    })
  })

  it('prefers the short name if both are set', () => {
    for (const env of [
      { PORT: '1', SERVER__PORT: '2' },
      { SERVER__PORT: '2', PORT: '1' },
    ]) {
      expect(readConfig({ NODE_ENV: 'test', ...env }).server.port).toBe(1)
    }
  })

  it('returns a frozen object', () => {
    const config = readConfig({ NODE_ENV: 'test' })
    expect(() => Object.assign(config.security, { forbidden_response: '403' })).toThrow(TypeError)
    expect(() => Object.assign(config, { profile: 'production' })).toThrow(TypeError)
  })

  it('reads the origin of BASE_URL', () => {
    expect(readConfig({ ...production, BASE_URL: 'HTTPS://Example.org:443/' }).server.base_url).toBe(
      'https://example.org',
    )
  })

  it('reads several secrets in their order', () => {
    const secretOf = (secret: string) => readConfig({ ...production, SESSION__SECRET: secret }).session.secret
    const [one, other] = ['Tz0Q2n6rV9yX1cE4gH7jK3mP5sU8wB0d', 'another secret of more than 32 characters']
    expect(secretOf(`${one}, ${other},`)).toEqual([one, other])
    expect(() => secretOf(`${one},${other},short`)).toThrow('32 or more random characters')
    expect(() => secretOf(`${one},replace-me-with-32-or-more-random-characters`)).toThrow('placeholder')
    expect(() => secretOf(',')).toThrow('SESSION__SECRET is missing')
  })

  it('reads several replicas, and never repeats their URLs', () => {
    const urlsOf = (urls: string) =>
      readConfig({ ...production, DATABASE__REPLICA_URLS: urls }).database.replica_urls
    expect(readConfig(production).database.replica_urls).toEqual([])
    expect(urlsOf('postgres://a/x, postgres://b/x')).toEqual(['postgres://a/x', 'postgres://b/x'])
    expect(() => urlsOf('postgres://a/x, mysql://u:hunter2@b/x')).toThrow(
      /^Invalid setting: database.replica_urls.1 is set to an invalid value\. Expected: postgres:/,
    )
    expect(() => urlsOf('postgres://a/x, mysql://u:hunter2@b/x')).not.toThrow('hunter2')
  })

  it('reads shards, and never repeats their URLs', () => {
    const env = { ...production, DATABASE_URL: '' }
    const read = (list: object) => readConfig({ ...env, DATABASE__SHARDS: JSON.stringify(list) })
    const url = 'postgres://user:hunter2@localhost:5432/app'
    const usUrl = url.replace('5432', '5433')
    expect(readConfig(production).database.shards).toEqual([])
    expect(
      read([
        { name: 'eu', url },
        { name: 'us-1', url: usUrl, replica_urls: `${url}, ${url}` },
      ]).database.shards,
    ).toEqual([
      { name: 'eu', url, replica_urls: [] },
      { name: 'us-1', url: usUrl, replica_urls: [url, url] },
    ])
    for (const [list, message] of [
      [
        [{ name: 'EU', url }],
        'Invalid setting: database.shards.0.name is set to an invalid value. Expected: a name',
      ],
      [[{ url }], 'Invalid setting: database.shards.0.name is set to an invalid value. Expected: a name'],
      [
        [{ name: 'eu', url: 'mysql://u:hunter2@b/x' }],
        'database.shards.0.url is set to an invalid value. Expected: postgres:',
      ],
      [
        [{ name: 'eu', url, host: 'x' }],
        'Unknown setting: database.shards.0.host. Valid names: name, url, migration_url, replica_urls.',
      ],
      [
        [
          { name: 'eu', url },
          { name: 'eu', url },
        ],
        'database.shards is set to an invalid value. Expected: a different name for each shard.',
      ],
      ...[
        { url: 'postgres://other:hunter2@LocalHost/app?sslmode=require' },
        { url: usUrl, migration_url: url },
      ].map(
        (us) =>
          [
            [
              { name: 'eu', url, migration_url: url },
              { name: 'us', ...us },
            ],
            'database.shards is set to an invalid value. Expected: a different host, port or database for each shard.',
          ] as const,
      ),
      [[{ name: 'eu' }], 'Production: The shard eu has no url.'],
      ['eu', 'database.shards is set to an invalid value. Expected: a list like'],
    ] as const) {
      expect(() => read(list as object)).toThrow(message)
      expect(() => read(list as object)).not.toThrow('hunter2')
    }
    expect(() => readConfig({ ...env, DATABASE__SHARDS: '{' })).toThrow('Expected: a list like')
  })

  it('reads a mail server and a sender, and never repeats the password', () => {
    const read = (env: Record<string, string>) => readConfig({ ...production, ...env }).mail
    expect(read({})).toEqual({ timeout_ms: 30_000 })
    for (const url of [
      'smtp://user:hunter2@mail.example.org:587',
      'smtps://user:p%40ss@mail.example.org',
      'file:///tmp/mail',
    ])
      expect(read({ MAIL__URL: url }).url).toBe(url)
    for (const url of [
      'http://u:hunter2@x',
      'smtp://u:hunter2@x/path',
      'smtp://u:hunter2%zz@x',
      'smtp://u:hunter2%ff@x',
      'smtp://u:hunter2@x?pool=true',
      'smtp:',
      'mail.example.org',
    ])
      expect(() => read({ MAIL__URL: url })).toThrow(
        /^Invalid setting: mail\.url is set to an invalid value\. Expected: smtp:\/\/user/,
      )
    for (const from of ['Pergola <no-reply@example.org>', 'no-reply@example.org'])
      expect(read({ MAIL__FROM: from }).from).toBe(from)
    for (const from of [
      'Pergola',
      'Pergola <x>',
      'a@b\nBcc: c@d',
      'A\n<a@b>',
      'a@b, c@d',
      'Pergola <no-reply@exämple.org>',
      'x@my_host.org',
    ])
      expect(() => read({ MAIL__FROM: from })).toThrow(
        'Expected: a sender, like Pergola <no-reply@example.org>',
      )
  })

  it.each([
    { DATABASE_URL: production.DATABASE_URL },
    { DATABASE_URL: '', DATABASE__MIGRATION_URL: production.DATABASE_URL },
    { DATABASE_URL: '', DATABASE__REPLICA_URLS: production.DATABASE_URL },
  ])('rejects shards beside %o, which no request would read', (env) => {
    const DATABASE__SHARDS = JSON.stringify([{ name: 'eu', url: production.DATABASE_URL }])
    expect(() => readConfig({ ...production, ...env, DATABASE__SHARDS })).toThrow(
      'Expected: only those of each shard.',
    )
  })

  it('ignores variables named like properties of Object.prototype', () => {
    expect(() => readConfig({ NODE_ENV: 'test', CONSTRUCTOR__X: '1', __PROTO____X: '1' })).not.toThrow()
  })

  it('treats an empty variable as not set', () => {
    const { port } = readConfig({ NODE_ENV: 'test' }).server
    expect(readConfig({ NODE_ENV: 'test', DATABASE_URL: '', PORT: '' }).server.port).toBe(port)
  })

  it.each([
    [
      { SECURITY__FORBIDDEN_RESPONSE: '402' },
      `Invalid setting: security.forbidden_response is "402". Expected: "404", "403" or "auto".`,
    ],
    [{ PORT: 'http' }, `Invalid setting: server.port is "http". Expected: a whole number from 0 to 65535.`],
    [{ PORT: '70000' }, `Invalid setting: server.port is "70000". Expected: a whole number from 0 to 65535.`],
    [{ PORT: ' ' }, `Invalid setting: server.port is " ". Expected: a whole number from 0 to 65535.`],
    [{ PORT: '0x50' }, `Invalid setting: server.port is "0x50". Expected: a whole number from 0 to 65535.`],
    [
      { BASE_URL: 'https://example.org/blog' },
      `Invalid setting: server.base_url is "https://example.org/blog". Expected: an http or https address without a path.`,
    ],
    [
      { SESSION__SECRET: 'short' },
      `Invalid setting: session.secret is set to an invalid value. Expected: 32 or more random characters, or several such secrets with commas between them.`,
    ],
    [
      { BASE_URL: 'example.org' },
      `Invalid setting: server.base_url is "example.org". Expected: an http or https address without a path.`,
    ],
    [
      { ACCOUNTS__SIGN_UP: 'perhaps' },
      `Invalid setting: accounts.sign_up is "perhaps". Expected: true or false.`,
    ],
    [
      { ACCOUNTS__SIGN_IN_BY_LINK: 'perhaps' },
      `Invalid setting: accounts.sign_in_by_link is "perhaps". Expected: true or false.`,
    ],
    [
      { ACCOUNTS__SIGN_IN_NOTICES: 'perhaps' },
      `Invalid setting: accounts.sign_in_notices is "perhaps". Expected: true or false.`,
    ],
    [{ NODE_ENV: 'staging' }, 'NODE_ENV is "staging". Valid values: development, test, production.'],
    [
      { SECURITY__FORBIDEN_RESPONSE: '403' },
      'Unknown setting: security.forbiden_response. Valid names: forbidden_response, rule_deadline_ms, allow_unauthorized_repository_api, writes_per_minute, searches_per_minute.',
    ],
    [
      { SESSION__IDLE_MINUTES: '4' },
      'Invalid setting: session.idle_minutes is "4". Expected: a whole number from 5 to 525600.',
    ],
    [
      { SESSION__LIFETIME_HOURS: 'forever' },
      'Invalid setting: session.lifetime_hours is "forever". Expected: a whole number from 1 to 8760.',
    ],
  ])('rejects %o with the valid values', (env, message) => {
    expect(() => readConfig({ NODE_ENV: 'test', ...env })).toThrow(new Error(message))
  })

  it('never repeats a secret in its error message', () => {
    const message = (env: object) => {
      try {
        readConfig({ ...production, ...env })
        return 'no error'
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(message({ DATABASE_URL: 'mysql://user:hunter2@host/app' })).not.toContain('hunter2')
    expect(message({ DATABASE_URL: 'mysql://user:hunter2@host/app' })).toContain(
      'database.url is set to an invalid value',
    )
    expect(message({ SESSION__SECRET: 'hunter2' })).not.toContain('hunter2')
  })

  it('accepts http in production on this machine', () => {
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000'])
      expect(readConfig({ ...production, BASE_URL: `http://${host}` }).server.base_url).toBe(`http://${host}`)
  })

  it.each([
    [{ DATABASE_URL: undefined }, 'DATABASE_URL is missing'],
    [{ BASE_URL: undefined }, 'BASE_URL is missing'],
    [{ SESSION__SECRET: undefined }, 'SESSION__SECRET is missing'],
    [
      { SESSION__SECRET: 'short' },
      'session.secret is set to an invalid value. Expected: 32 or more random characters',
    ],
    [{ SESSION__SECRET: 'replace-me-with-32-or-more-random-characters' }, 'SESSION__SECRET is a placeholder'],
    [{ SESSION__SECRET: 'ab'.repeat(20) }, 'SESSION__SECRET has few distinct characters'],
    [{ BASE_URL: 'http://example.org' }, 'BASE_URL is http://example.org. Expected: an https address'],
    [{ ACCOUNTS__DEMO: 'true' }, 'accounts.demo is true'],
  ])('rejects in production: %o', (env, reason) => {
    expect(() => readConfig({ ...production, ...env })).toThrow(reason)
    expect(() => readConfig(production)).not.toThrow()
  })
})
