import { sql } from 'kysely'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { runTask } from 'pergola/tasks'
import { TestClient } from 'pergola/testing'
import { mailedLink, tokenOf } from '#app/test/mailed-link.ts'
import { testApp } from '#app/test/test-app.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'
import { inviteUser } from './invite.ts'

const app = await testApp()
const lines: string[] = []
const warnings: string[] = []
let sequence = 0

beforeEach(() => {
  lines.length = 0
  warnings.length = 0
  vi.unstubAllEnvs()
  // Vitest sets BASE_URL to a path, which is not a valid setting.
  vi.stubEnv('BASE_URL', '')
})

const invite = (args: Record<string, unknown>) =>
  runTask(app.db, inviteUser, {
    args: { name: 'Ann', ...args },
    dryRun: false,
    resume: false,
    starter: { started_by: 'a test', host: 'here', pid: process.pid },
    leaseSeconds: 30,
    signal: new AbortController().signal,
    output: { say: (line) => lines.push(line), warn: (line) => warnings.push(line), progress: () => {} },
  })
const freeAddress = () => `ann-${++sequence}@example.org`
const accept = (path: string) =>
  new TestClient(app.url).post('/invitation', {
    form: { token: tokenOf(path), password: 'a password of my own' },
  })
const stored = (email: string) =>
  app.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

describe('invite', () => {
  it('creates the first admin, by a link in a mail', async () => {
    const email = freeAddress()
    expect(await invite({ email: email.toUpperCase(), role: 'admin' })).toMatchObject({ outcome: 'done' })
    expect(lines).toEqual([`Invitation sent to ${email}.`])
    expect(await stored(email)).toMatchObject({ name: 'Ann', roles: ['admin'], email_verified_at: null })
    expect((await accept(await mailedLink(app, email))).status).toBe(303)
  })

  it('prints the link only on request, and then sends no mail', async () => {
    const email = freeAddress()
    await invite({ email })
    const mailed = await mailedLink(app, email)
    expect([...lines, ...warnings].join('\n')).not.toContain(tokenOf(mailed))
    lines.length = 0
    await invite({ email, printLink: true })
    const [, link = ''] =
      /^The link is valid for seven days: http:\/\/localhost:\d+(\/.*)$/.exec(lines[0] ?? '') ?? []
    expect(await app.mails()).toEqual([])
    expect((await accept(mailed)).status).toBe(404)
    expect((await accept(link)).status).toBe(303)
    const history = await sql`select to_jsonb(task_runs) from task_runs`.execute(app.db)
    expect(JSON.stringify(history.rows)).not.toContain(tokenOf(link))
  })

  it('gives an existing user the name of the command', async () => {
    const { email } = await app.within(() => makeUser({ name: 'Mallory', verified: false }))
    await invite({ email, name: 'Ann Lee' })
    expect(await stored(email)).toMatchObject({ name: 'Ann Lee' })
    expect(await app.mails()).toMatchObject([{ name: 'invitation', to: email, data: { name: 'Ann Lee' } }])
  })

  it('fails for a user with a verified address, and names the remedy', async () => {
    const { email } = await app.within(() => makeUser())
    const { outcome, error } = await invite({ email, role: 'admin' })
    expect(outcome).toBe('failed')
    expect(String(error)).toContain('Grant a role with npx cli task grant-role.')
    expect(String(error)).not.toContain(email)
    expect(await app.mails()).toEqual([])
  })

  it('fails for a disabled user, and for a role that the user does not have', async () => {
    const user = await app.within(() => makeUser({ verified: false }))
    const { error } = await invite({ email: user.email, role: 'admin' })
    expect(String(error)).toMatch(/not have the role admin\. Grant it with npx cli task grant-role/)
    await app.within(() => users.asSystem('test').update(user.id, { disabled_at: new Date().toISOString() }))
    const disabled = await invite({ email: user.email })
    expect(String(disabled.error)).toContain('is disabled. An admin can enable it')
    for (const text of [error, disabled.error]) expect(String(text)).not.toContain(user.email)
    expect(await app.mails()).toEqual([])
  })

  it('fails in production without a mail server, and names both remedies', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    vi.stubEnv('DATABASE_URL', 'postgres://a/b')
    vi.stubEnv('BASE_URL', 'https://example.org')
    vi.stubEnv('SESSION__SECRET', 'Tz0Q2n6rV9yX1cE4gH7jK3mP5sU8wB0d')
    const email = freeAddress()
    const { error } = await invite({ email })
    expect(String(error)).toMatch(/MAIL__URL is missing.*Or add --print-link/s)
    expect(await stored(email)).toBeUndefined()
    await invite({ email, printLink: true })
    expect(lines[0]).toContain('https://example.org/invitation?token=')
  })
})
