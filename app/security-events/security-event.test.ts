import { beforeEach, describe, expect, it } from 'vitest'
import { inTransaction, withDatabase } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { runTask } from 'pergola/tasks'
import { clearRateLimits, expectParity, lockWait, TestClient } from 'pergola/testing'
import { makeLog } from '#app/log.ts'
import { grantRole } from '#app/tasks/grant-role.ts'
import { mailedLink, tokenOf } from '#app/test/mailed-link.ts'
import { testApp } from '#app/test/test-app.ts'
import { testNoteApp } from '#app/test/test-note.ts'
import { DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { SecurityEvent } from './security-event.ts'
import { readConfig } from '#app/config.ts'

const lines: string[] = []
const log = makeLog(readConfig({ NODE_ENV: 'test', SERVER__LOG_LEVEL: 'info' }), {
  write: (line) => void lines.push(line),
})
const app = await testApp({ log, env: { SERVER__TRUST_PROXY: '1' } })
const [adminUser, bobUser] = await app.within(() =>
  Promise.all([makeUser({ name: 'Admin', roles: ['admin'] }), makeUser({ name: 'Bob' })]),
)
const [admin, bob] = await Promise.all([app.signInAs(adminUser.email), app.signInAs(bobUser.email)])

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const NEW = 'a password that was changed'
const headers = { 'user-agent': FIREFOX, 'x-forwarded-for': '203.0.113.7' }

beforeEach(async () => {
  await clearRateLimits(app.db)
  await forgetEvents()
})

const make = (values: Parameters<typeof makeUser>[0] = {}) => app.within(() => makeUser(values))
const stored = () => app.db.selectFrom('security_events').selectAll().orderBy('id').execute()
const logged = () =>
  lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === 'security')
    .map(({ msg }) => msg)
const send = (client: TestClient, method: string, path: string, form: Record<string, string> = {}) =>
  client.post(path, { form: { _method: method, ...form }, headers })
const signIn = (client: TestClient, email: string, password = DEMO_PASSWORD) =>
  client.post('/login', { form: { email, password }, headers })

/** Sends a form of a user's page as the admin, with the version in the page. */
async function sendTo(id: number, form: string, values: Record<string, string>) {
  const [, _version = ''] = /name="_version" value="(\d+)"/.exec((await admin.get(`/users/${id}`)).text) ?? []
  expect((await send(admin, 'PUT', `/users/${id}/${form}`, { _version, ...values })).status).toBe(303)
}

/** Signs a user in, and forgets the events so far. */
async function signedIn(values: Parameters<typeof makeUser>[0] = {}) {
  const user = await make(values)
  const client = await app.signInAs(user.email)
  await forgetEvents()
  return { user, client }
}

const recorded = async () => ({ rows: await stored(), logged: logged() })

/** Exactly one event, in the table and in the log, with the facts of the request. */
const only = (kind: string, values: Record<string, unknown>) => ({
  rows: [
    {
      id: expect.any(Number),
      kind,
      actor_id: null,
      target_id: null,
      system: null,
      detail: null,
      address: '203.0.113.7',
      user_agent: FIREFOX,
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.any(String),
      ...values,
    },
  ],
  logged: [kind],
})

async function forgetEvents(): Promise<void> {
  await app.db.deleteFrom('security_events').execute()
  lines.length = 0
}

describe('security events', () => {
  it('record a sign-in and a sign-out, without the token', async () => {
    const user = await make()
    const client = new TestClient(app.url)
    await signIn(client, user.email)
    expect(await recorded()).toEqual(only('sign-in', { actor_id: user.id, target_id: user.id }))
    const secrets = [client.cookies.get('sid') ?? '', DEMO_PASSWORD, user.email]
    await app.db.deleteFrom('security_events').execute()
    await client.post('/logout', { headers })
    expect(await stored()).toMatchObject([{ kind: 'sign-out', actor_id: user.id, target_id: user.id }])
    const text = JSON.stringify(await stored()) + lines.join('')
    for (const secret of secrets) expect(text).not.toContain(secret)
    await client.post('/logout', { headers })
    expect(await stored()).toHaveLength(1)
  })

  it('record a failed sign-in to an account with the id of the account', async () => {
    const user = await make()
    await signIn(app.guest, user.email, 'the wrong password')
    expect(await recorded()).toEqual(only('sign-in-failed', { target_id: user.id }))
    expect(JSON.stringify(await stored()) + lines.join('')).not.toContain('the wrong password')
  })

  it('record a failed sign-in to an unknown address without the submitted text', async () => {
    await signIn(app.guest, 'a-password-in-the-email-field', 'x')
    expect(await recorded()).toEqual(only('sign-in-failed', {}))
    expect(JSON.stringify(await stored()) + lines.join('')).not.toContain('a-password-in')
  })

  it('record the first denial of each counter in a window, with the account if it exists', async () => {
    const user = await make()
    for (const email of [user.email, 'nobody@example.test'])
      await Promise.all(Array.from({ length: 8 }, () => signIn(app.guest, email, 'wrong')))
    const kinds = (await stored()).map(({ kind, target_id, detail }) => [kind, target_id, detail])
    expect(kinds.filter(([kind]) => kind === 'sign-in-failed')).toHaveLength(10)
    expect(kinds.filter(([kind]) => kind === 'rate-limited')).toEqual([
      ['rate-limited', user.id, 'sign-in'],
      ['rate-limited', null, 'sign-in'],
    ])
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => signIn(app.guest, `no-${index}@example.test`, 'wrong')),
    )
    const denials = (await stored()).filter(({ kind }) => kind === 'rate-limited')
    expect(denials.map(({ target_id }) => target_id)).toEqual([user.id, null, null])
  })

  it('record the first denial of a network once, even if a sign-in succeeds after it', async () => {
    const user = await make()
    const kinds = async () => (await stored()).filter(({ kind }) => kind === 'rate-limited').length
    const { waiting } = await app.db.transaction().execute(async (transaction) => {
      await transaction.selectFrom('users').select('id').where('id', '=', user.id).forUpdate().execute()
      const waiting = signIn(new TestClient(app.url), user.email)
      await lockWait(app.db)
      // As after nineteen failures.
      await app.db
        .updateTable('rate_limits')
        .set({ points: 20 })
        .where('key', 'like', 'sign-in from:%')
        .execute()
      await signIn(app.guest, 'nobody@example.test', 'wrong')
      expect(await kinds()).toBe(1)
      return { waiting }
    })
    expect((await waiting).status).toBe(303)
    expect((await signIn(app.guest, 'one-more@example.test', 'wrong')).status).toBe(429)
    expect(await kinds()).toBe(1)
  })

  it('record the first denial of a rate limit', async () => {
    const limited = await testNoteApp({ database: app, env: { SECURITY__WRITES_PER_MINUTE: '2' } })
    const { user } = await signedIn()
    const client = await limited.signInAs(user.email)
    await forgetEvents()
    const statuses = []
    for (let count = 0; count < 4; count++)
      statuses.push((await client.post('/test-notes', { form: {}, headers })).status)
    expect(statuses).toEqual([422, 422, 429, 429])
    const denials = async () => (await stored()).filter(({ kind }) => kind === 'rate-limited')
    await expect.poll(denials).toMatchObject([{ actor_id: user.id, target_id: user.id, detail: 'writes' }])
  })

  it('record requests for links, and their first denial, with the account', async () => {
    const form = { email: bobUser.email }
    for (let count = 0; count < 8; count++) await app.guest.post('/signup', { form, headers })
    const events = (await stored()).map(({ kind, target_id, detail }) => [kind, target_id, detail])
    expect(events).toEqual([
      ...Array.from({ length: 5 }, () => ['link-requested', bobUser.id, 'sign-up']),
      ['rate-limited', bobUser.id, 'link'],
    ])
  })

  it('record a created account', async () => {
    const email = `new-${process.pid}@example.test`
    await app.guest.post('/signup', { form: { email }, headers })
    const token = tokenOf(await mailedLink(app, email))
    await forgetEvents()
    const form = { token, name: 'New', password: 'long enough for an account' }
    await new TestClient(app.url).post('/signup/confirm', { form, headers })
    const [event] = await stored()
    expect(JSON.stringify(event)).not.toContain(token)
    expect(event?.target_id).toEqual(expect.any(Number))
    expect(await recorded()).toEqual(
      only('account-created', { actor_id: event?.target_id, target_id: event?.target_id }),
    )
  })

  it('record a changed password', async () => {
    const { user, client } = await signedIn()
    await send(client, 'PUT', '/account/password', { current_password: DEMO_PASSWORD, password: NEW })
    expect(await recorded()).toEqual(only('password-changed', { actor_id: user.id, target_id: user.id }))
    const text = JSON.stringify(await stored()) + lines.join('')
    for (const secret of [DEMO_PASSWORD, NEW, '$argon2']) expect(text).not.toContain(secret)
  })

  it('record a confirmed password', async () => {
    const { user, client } = await signedIn()
    await client.post('/account/confirm', { form: { current_password: DEMO_PASSWORD }, headers })
    expect(await recorded()).toEqual(only('password-confirmed', { actor_id: user.id, target_id: user.id }))
  })

  it('record a wrong current password, without the submitted text', async () => {
    const { user, client } = await signedIn()
    const guess = { current_password: 'a guess of the password' }
    for (const [path, form] of [
      ['/account/password', { _method: 'PUT', ...guess, password: NEW }],
      ['/account/confirm', guess],
    ] as const) {
      await forgetEvents()
      expect((await client.post(path, { form, headers })).status).toBe(422)
      expect(await recorded()).toEqual(only('password-rejected', { actor_id: user.id, target_id: user.id }))
      expect(JSON.stringify(await stored()) + lines.join('')).not.toContain('a guess')
    }
  })

  it('record sessions that their owner or an admin ended, only if there were any', async () => {
    const { user, client } = await signedIn()
    await send(client, 'DELETE', '/account/sessions')
    expect(await stored()).toEqual([])
    await app.signInAs(user.email)
    await forgetEvents()
    await send(client, 'DELETE', '/account/sessions')
    expect(await recorded()).toEqual(only('sessions-ended', { actor_id: user.id, target_id: user.id }))
    await forgetEvents()
    await send(admin, 'DELETE', `/users/${user.id}/sessions`)
    expect(await recorded()).toEqual(only('sessions-ended', { actor_id: adminUser.id, target_id: user.id }))
    await send(admin, 'DELETE', `/users/${user.id}/sessions`)
    expect(await stored()).toHaveLength(1)
  })

  it('record one ended session', async () => {
    const { user, client } = await signedIn()
    const { id } = await app.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', user.id)
      .executeTakeFirstOrThrow()
    await send(bob, 'DELETE', `/account/sessions/${id}`)
    expect(await stored()).toEqual([])
    await send(client, 'DELETE', `/account/sessions/${id}`)
    expect(await recorded()).toEqual(only('sessions-ended', { actor_id: user.id, target_id: user.id }))
  })

  it('record granted and removed roles', async () => {
    const user = await make()
    await sendTo(user.id, 'roles', { admin: 'on' })
    expect(await recorded()).toEqual(
      only('role-granted', { actor_id: adminUser.id, target_id: user.id, detail: 'admin' }),
    )
    await forgetEvents()
    await sendTo(user.id, 'roles', {})
    expect(await recorded()).toEqual(
      only('role-removed', { actor_id: adminUser.id, target_id: user.id, detail: 'admin' }),
    )
  })

  it('record a role that a task grants, with the name of the task', async () => {
    const user = await make()
    const printed: string[] = []
    await runTask(app.db, grantRole, {
      args: { email: user.email, role: 'admin' },
      dryRun: false,
      resume: false,
      starter: { started_by: 'a test', host: 'here', pid: process.pid },
      leaseSeconds: 30,
      signal: new AbortController().signal,
      output: { say: () => {}, warn: (line) => printed.push(line), progress: () => {} },
    })
    expect(await stored()).toMatchObject([
      { kind: 'role-granted', actor_id: null, target_id: user.id, system: 'grant-role', address: null },
    ])
    expect(printed).toEqual([`role-granted: target_id ${user.id}, system grant-role, detail admin`])
  })

  it('record a disabled and an enabled account', async () => {
    const user = await make()
    await sendTo(user.id, 'access', { access: 'disabled' })
    expect(await recorded()).toEqual(only('account-disabled', { actor_id: adminUser.id, target_id: user.id }))
    await sendTo(user.id, 'access', { access: 'disabled' })
    await forgetEvents()
    await sendTo(user.id, 'access', { access: 'enabled' })
    expect(await recorded()).toEqual(only('account-enabled', { actor_id: adminUser.id, target_id: user.id }))
  })

  it('record a deleted account, and keep its events', async () => {
    const { user, client } = await signedIn()
    await send(client, 'DELETE', '/account')
    expect(await recorded()).toEqual(only('account-deleted', { actor_id: user.id, target_id: user.id }))
    expect((await admin.get('/security-events')).text).toContain(`deleted user ${user.id}`)
  })
})

describe('a change and its event', () => {
  it('are both rolled back if the event can’t be stored', async () => {
    const { user, client } = await signedIn()
    await app.db.schema.alterTable('security_events').renameTo('hidden_events').execute()
    try {
      const form = { current_password: DEMO_PASSWORD, password: NEW }
      expect((await send(client, 'PUT', '/account/password', form)).status).toBe(500)
      expect((await send(admin, 'DELETE', `/users/${user.id}/sessions`)).status).toBe(500)
    } finally {
      await app.db.schema.alterTable('hidden_events').renameTo('security_events').execute()
    }
    expect(await stored()).toEqual([])
    expect(logged()).toEqual([])
    expect((await signIn(new TestClient(app.url), user.email)).status).toBe(303)
    expect((await client.get('/account')).status).toBe(200)
  })

  it('leave no event and no log line if the transaction is rolled back', async () => {
    const cause = { system: 'a test', log: { info: () => lines.push('{}'), error: () => {} } }
    const failing = withDatabase(
      app.db,
      () =>
        inTransaction(async () => {
          await recordEvent('sign-out', { target: 1 })
          throw new Error('rolled back')
        }),
      cause,
    )
    await expect(failing).rejects.toThrow('rolled back')
    expect(await stored()).toEqual([])
    expect(lines).toEqual([])
  })
})

describe('an attempt that can’t be recorded', () => {
  it('gets the same response', async () => {
    const user = await make()
    const attempt = async () => {
      await clearRateLimits(app.db)
      const answers = []
      for (let count = 0; count < 6; count++) answers.push(await signIn(app.guest, user.email, 'wrong'))
      return answers.map(({ status, text }) => ({ status, text }))
    }
    const expected = await attempt()
    expect(expected.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 429])
    await app.db.schema.alterTable('security_events').renameTo('hidden_events').execute()
    try {
      expect(await attempt()).toEqual(expected)
    } finally {
      await app.db.schema.alterTable('hidden_events').renameTo('security_events').execute()
    }
    expect(lines.join('')).toContain('The security event sign-in-failed was not recorded.')
  })
})

describe('sign-in attempts', () => {
  it('cost the same statements for known and unknown addresses, also when they are denied', async () => {
    const user = await make()
    const statementsOf = async (email: string) => {
      await clearRateLimits(app.db)
      app.statements.length = 0
      for (let count = 0; count < 7; count++) await signIn(app.guest, email, 'wrong')
      return app.statements.map((text) => text.replace(/^rollback|^commit/, 'end'))
    }
    const known = await statementsOf(user.email)
    expect(known.filter((text) => text.includes('security_events'))).toHaveLength(6)
    expect(await statementsOf('nobody@example.test')).toEqual(known)
  })
})

describe('the policy of security events', () => {
  it('allows what the scope lists', async () => {
    await signIn(new TestClient(app.url), bobUser.email)
    await signIn(app.guest, 'nobody@example.test', 'wrong')
    await expectParity(app, SecurityEvent)
  })
})

describe('GET /account/security-events', () => {
  it('shows the user’s own events, and not the address of an admin', async () => {
    const { user, client } = await signedIn()
    await signIn(client, user.email)
    await admin.delete(`/users/${bobUser.id}/sessions`, {
      headers: { ...headers, 'x-forwarded-for': '198.51.100.1' },
    })
    await bob.post('/login', { form: { email: bobUser.email, password: DEMO_PASSWORD } })
    const own = (await client.get('/account/security-events')).text
    for (const shown of ['Signed in', '203.0.113.7, Firefox on Linux', 'You']) expect(own).toContain(shown)
    expect(own).not.toContain('Sessions ended')
    const bobs = (await bob.get('/account/security-events')).text
    for (const shown of ['Sessions ended', 'An admin']) expect(bobs).toContain(shown)
    expect(bobs).not.toContain('198.51.100.1')
    expect(bobs).not.toContain('Admin<')
  })

  it('shows admins only their own events', async () => {
    await signIn(new TestClient(app.url), bobUser.email)
    expect((await admin.get('/account/security-events')).text).toContain('There are no events yet.')
  })

  it('redirects guests to the sign-in page', async () => {
    expect((await new TestClient(app.url).get('/account/security-events')).status).toBe(303)
  })
})

describe('GET /security-events', () => {
  it('is closed to guests and to other users', async () => {
    expect((await new TestClient(app.url).get('/security-events')).status).toBe(303)
    expect((await (await app.newcomer()).get('/security-events')).status).toBe(403)
  })

  it('lists all events for admins, filtered by kind and by user, page by page', async () => {
    const [one, other] = [await make({ name: 'One' }), await make({ name: 'Other' })]
    for (const { email } of [one, other]) {
      await signIn(new TestClient(app.url), email)
      await signIn(app.guest, email, 'wrong')
    }
    const rows = async (query: string) => {
      const { text } = await admin.get(`/security-events${query}`)
      return [
        ...text.matchAll(/<tr role="row">\s*<td role="cell">([^<]+)<[\s\S]*?href="\/users\/(\d+)"/g),
      ].map(([, kind, id]) => `${kind} ${id}`)
    }
    const all = [
      `Failed sign-in ${other.id}`,
      `Signed in ${other.id}`,
      `Failed sign-in ${one.id}`,
      `Signed in ${one.id}`,
    ]
    expect(await rows('')).toEqual(all)
    expect(await rows('?kind=sign-in')).toEqual([all[1], all[3]])
    expect(await rows(`?target_id=${one.id}`)).toEqual(all.slice(2))
    expect(await rows(`?target_id=${one.id}&kind=sign-in`)).toEqual([all[3]])
    expect(await rows('?kind=no-such-kind')).toEqual(all)
    const first = (await admin.get('/security-events?size=3')).text
    const [, next = ''] = /href="\/security-events(\?[^"]*cursor=[^"]*)"/.exec(first) ?? []
    expect(await rows(next.replaceAll('&amp;', '&'))).toEqual(all.slice(3))
    expect((await admin.get(`/users/${one.id}`)).text).toContain(
      `href="/security-events?target_id=${one.id}"`,
    )
  })
})
