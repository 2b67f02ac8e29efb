import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, clearRateLimits, comparable, TestClient } from 'pergola/testing'
import { mailedLink, tokenOf } from '#app/test/mailed-link.ts'
import { testApp } from '#app/test/test-app.ts'
import { makeUser } from '#app/users/user.factory.ts'

const app = await testApp()
const email = 'carol@example.org'
const account = { name: 'Carol', password: 'a long enough one' }

beforeEach(async () => {
  await app.db.deleteFrom('users').execute()
  await app.db.deleteFrom('account_tokens').execute()
  await app.db.deleteFrom('security_events').execute()
  await clearRateLimits(app.db)
  await app.mails()
})

const request = (address: string, form = {}) =>
  new TestClient(app.url).post('/signup', { form: { email: address, ...form } })
const userCount = async () => (await app.db.selectFrom('users').select('id').execute()).length

/** Requests a link, and returns its token. */
async function requestedToken(form = {}): Promise<string> {
  await request(email, form)
  return tokenOf(await mailedLink(app, email))
}
const confirm = (token: string, form: Record<string, string> = account, client = new TestClient(app.url)) =>
  client.post('/signup/confirm', { form: { token, ...form } })

describe('POST /signup', () => {
  it('returns the same bytes for a free, a taken and a disabled address', async () => {
    const [taken, disabled] = await app.within(() => Promise.all([makeUser(), makeUser()]))
    await sql`update users set disabled_at = now() where id = ${disabled.id}`.execute(app.db)
    const answers = [await request(email), await request(taken.email), await request(disabled.email)]
    expect(comparable(answers[0]!)).toMatchObject({ status: 303 })
    expect(answers[0]?.headers.get('location')).toBe('/check-mail')
    for (const answer of answers) expect(comparable(answer)).toEqual(comparable(answers[0]!))
  })

  it('sends the same statements for a free and a taken address', async () => {
    const taken = await app.within(() => makeUser())
    const statementsFor = async (address: string) => {
      app.statements.length = 0
      await request(address)
      return [...app.statements]
    }
    const free = await statementsFor(email)
    expect(free.length).toBeGreaterThan(4)
    expect(await statementsFor(taken.email)).toEqual(free)
  })

  it('mails a link to a free address, and creates no account', async () => {
    await request(' CAROL@Example.org ')
    expect(await app.mails()).toMatchObject([{ name: 'sign-up', to: email }])
    expect(await userCount()).toBe(0)
  })

  it('mails a taken address that the account exists, with a link for a new password', async () => {
    const taken = await app.within(() => makeUser({ name: 'Alice' }))
    await request(taken.email)
    const [mail] = await app.mails()
    expect(mail).toMatchObject({ name: 'account-exists', to: taken.email, data: { name: 'Alice' } })
    expect(mail?.text).toContain(`${app.url}/password-reset/new?token=`)
    expect((await app.signInAs(taken.email)).cookies.has('sid')).toBe(true)
  })

  it.each([
    'no address',
    '',
    'a@b-.example',
    'ä@example.org',
    `${'x'.repeat(320)}@example.org`,
    'a@b.example\r\nBcc: c@d.example',
  ])('returns 422 for the address %j, and sends nothing', async (address) => {
    const { status, text } = await request(address)
    expect([status, text.includes('email-error')]).toEqual([422, true])
    expect(await app.mails()).toEqual([])
  })

  it.each(['name', 'password', 'roles', 'email_verified_at'])('rejects a field named %s', async (field) => {
    expect((await request(email, { [field]: 'admin' })).status).toBe(422)
    expect(await app.mails()).toEqual([])
  })

  it('accepts five requests per address and hour, with or without an account', async () => {
    const taken = await app.within(() => makeUser())
    for (const address of [email, taken.email]) {
      for (let count = 0; count < 5; count++) expect((await request(address)).status).toBe(303)
      const refused = await request(address)
      expect([refused.status, Number(refused.headers.get('retry-after')) > 900]).toEqual([429, true])
      expect(await app.mails()).toHaveLength(5)
    }
    expect((await request('another@example.org')).status).toBe(303)
  })

  it('accepts thirty requests per network and hour', async () => {
    for (let count = 0; count < 30; count++)
      expect((await request(`carol-${count}@example.org`)).status).toBe(303)
    expect((await request('one-more@example.org')).status).toBe(429)
  })

  it('records the request, without the address', async () => {
    await request(email)
    const events = await app.db.selectFrom('security_events').selectAll().execute()
    expect(events).toMatchObject([{ kind: 'link-requested', target_id: null, detail: 'sign-up' }])
    expect(JSON.stringify(events)).not.toContain('carol')
  })

  it('returns 404 if sign-up is disabled', async () => {
    const closed = await testApp({ database: app, env: { ACCOUNTS__SIGN_UP: 'false' } })
    expect((await closed.guest.get('/signup')).status).toBe(404)
    expect((await closed.guest.get('/signup/confirm')).status).toBe(404)
    expect((await closed.guest.get('/login')).text).not.toContain('/signup')
  })
})

describe('GET /signup/confirm', () => {
  it('shows the address, and changes nothing', async () => {
    await request(email)
    const link = await mailedLink(app, email)
    for (let visit = 0; visit < 3; visit++) {
      const { status, text } = await new TestClient(app.url).get(link)
      expect([status, text.includes(email)]).toEqual([200, true])
    }
    expect(await userCount()).toBe(0)
    expect((await confirm(tokenOf(link))).status).toBe(303)
  })

  it('sends its address in no Referer, and repeats the token in no link', async () => {
    await request(email)
    const link = await mailedLink(app, email)
    const { headers, text } = await app.guest.get(link)
    expect(headers.get('referrer-policy')).toBe('strict-origin')
    expect(text.split(tokenOf(link))).toHaveLength(2)
    expect(text).toContain(`<input type="hidden" name="token" value="${tokenOf(link)}">`)
  })
})

describe('POST /signup/confirm', () => {
  it('creates a verified account, and signs it in', async () => {
    const client = new TestClient(app.url)
    const token = await requestedToken()
    const answer = await confirm(token, { ...account, return_to: '/account/password' }, client)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account/password'])
    expect((await client.get('/account/password')).text).toContain('Carol')
    expect(client.cookies.has('browser')).toBe(true)
    const users = await app.db.selectFrom('users').selectAll().execute()
    expect(users).toMatchObject([{ email, name: 'Carol', roles: [], email_verified_at: expect.any(String) }])
    const kinds = await app.db.selectFrom('security_events').select('kind').orderBy('id').execute()
    expect(kinds.map(({ kind }) => kind)).toEqual(['link-requested', 'account-created'])
  })

  it('returns to the page that led to the sign-up', async () => {
    await request(email, { return_to: '/notes/new' })
    const link = await mailedLink(app, email)
    expect(link).toMatch(/&return_to=%2Fnotes%2Fnew$/)
    expect((await app.guest.get(link)).text).toContain('name="return_to" value="/notes/new"')
  })

  it.each([
    ['name', ''],
    ['name', '\u202enimdA'],
    ['name', 'Al\u200bice'],
    ['name', '...'],
    ['password', 'short'],
    ['password', 'Basketball'],
    ['password', 'CAROL@Example.org'],
    ['password', 'carol'],
  ])(
    'returns 422 if %s is %o, keeps the name but not the password, and keeps the link',
    async (field, value) => {
      const token = await requestedToken()
      const { status, text } = await confirm(token, { ...account, [field]: value })
      expect(status).toBe(422)
      expect(text).toMatch(new RegExp(`aria-describedby="[^"]*${field}-error`))
      expect(text).not.toContain(account.password)
      expect(await userCount()).toBe(0)
      expect((await confirm(token)).status).toBe(303)
    },
  )

  it.each(['roles', 'email', 'is_admin', 'disabled_at', 'user[role]'])(
    'rejects a field named %s',
    async (field) => {
      expect((await confirm(await requestedToken(), { ...account, [field]: 'admin' })).status).toBe(422)
      expect(await userCount()).toBe(0)
    },
  )

  it('returns the same page for a link that is used, altered, expired, missing or of another purpose', async () => {
    const token = await requestedToken()
    const expired = await requestedToken()
    await sql`update account_tokens set expires_at = now()
      where digest = encode(sha256(${expired}::bytea), 'hex')`.execute(app.db)
    const user = await app.within(() => makeUser())
    await request(user.email)
    const ofPassword = tokenOf(await mailedLink(app, user.email))
    const pages: Answer[] = []
    await confirm(token)
    for (const invalid of [token, `${expired}x`, expired, '', ofPassword]) {
      pages.push(await confirm(invalid, { ...account, name: 'Mallory' }))
      pages.push(await new TestClient(app.url).get(`/signup/confirm?token=${invalid}`))
    }
    for (const page of pages) expect([page.status, page.text]).toEqual([404, pages[0]?.text])
    expect(pages[0]?.text).toContain('This link is not valid')
    expect(pages[0]?.text).toContain('href="/signup"')
    expect(await userCount()).toBe(2)
  })

  it('creates one account for ten concurrent attempts', async () => {
    const token = await requestedToken()
    const answers = await Promise.all(Array.from({ length: 10 }, () => confirm(token)))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(await userCount()).toBe(1)
  })

  it('invalidates the other links to the address', async () => {
    const [first, second] = [await requestedToken(), await requestedToken()]
    expect((await confirm(first)).status).toBe(303)
    expect((await confirm(second)).status).toBe(404)
  })

  it('returns the page of an invalid link if the address was taken meanwhile', async () => {
    const token = await requestedToken()
    const user = await app.within(() => makeUser())
    await app.db.updateTable('users').set({ email }).where('id', '=', user.id).execute()
    expect((await confirm(token)).status).toBe(404)
    expect(await userCount()).toBe(1)
  })
})
