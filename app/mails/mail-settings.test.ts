import { describe, expect, it } from 'vitest'
import { mail } from 'pergola/mail'
import { z } from 'zod'
import { readConfig } from '#app/config.ts'
import { mailProblem, mailSettings } from './mail-settings.ts'

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://user@127.0.0.1:5432/app',
  BASE_URL: 'https://example.org',
  SESSION__SECRET: 'Tz0Q2n6rV9yX1cE4gH7jK3mP5sU8wB0d',
}
const hello = mail('hello', { data: z.object({}), subject: () => 'Hello', example: {} })

describe('mailSettings', () => {
  it('delivers into a folder in development, into memory in tests, and nowhere in production', () => {
    const urlIn = (env: Record<string, string>) => mailSettings(readConfig(env)).url
    expect(urlIn({ NODE_ENV: 'development', DATA_DIR: '/tmp/x' })).toBe('file:///tmp/x/mail')
    expect(urlIn({ NODE_ENV: 'test' })).toBe('memory:')
    expect(urlIn(production)).toBeNull()
    for (const env of [production, { NODE_ENV: 'development' }, { NODE_ENV: 'test' }])
      expect(urlIn({ ...env, MAIL__URL: 'smtp://mail.example.org' })).toBe('smtp://mail.example.org')
  })

  it('is the same object for the databases of all shards', () => {
    const config = readConfig(production)
    expect(mailSettings({ ...config, shard: 'eu' })).toBe(mailSettings({ ...config, shard: 'us' }))
  })
})

describe('mailProblem', () => {
  const problemIn = (env: Record<string, string>) =>
    mailProblem(readConfig({ ...production, ...env }), [hello])

  it.each([
    [
      {},
      'Production: MAIL__URL is missing. Expected: smtp://user:password@host:587. The application sends mails: hello.',
    ],
    [{ MAIL__URL: 'file:///tmp/mail' }, 'Production: MAIL__URL is not the address of a mail server.'],
    [{ MAIL__URL: 'memory:' }, 'Production: MAIL__URL is not the address of a mail server.'],
    [{ MAIL__URL: 'smtps://mail.example.org' }, 'Production: MAIL__FROM is missing. Expected: a sender'],
  ])('names the missing setting of %o', (env, problem) => {
    expect(problemIn(env)).toContain(problem)
  })

  it('is null with both settings, without mails, and outside of production', () => {
    expect(
      problemIn({ MAIL__URL: 'smtps://mail.example.org', MAIL__FROM: 'no-reply@example.org' }),
    ).toBeNull()
    expect(mailProblem(readConfig(production), [])).toBeNull()
    expect(mailProblem(readConfig({ NODE_ENV: 'development' }), [hello])).toBeNull()
  })
})
