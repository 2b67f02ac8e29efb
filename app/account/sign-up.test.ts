import { beforeEach, describe, expect, it } from 'vitest'
import { testApp } from '#app/test/test-app.ts'
import { clearRateLimits, TestClient } from 'pergola/testing'

const app = await testApp()
const form = { name: 'Carol', email: 'carol@example.org', password: 'a long enough one' }

beforeEach(async () => {
  await app.db.deleteFrom('users').execute()
  await clearRateLimits(app.db)
})

describe('POST /signup', () => {
  it('creates the account and signs it in', async () => {
    const client = new TestClient(app.url)
    const answer = await client.post('/signup', { form: { ...form, return_to: '/account/password' } })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account/password'])
    expect((await client.get('/account/password')).text).toContain('Carol')
    expect(client.cookies.has('browser')).toBe(true)
  })

  it.each([
    ['name', ''],
    ['email', 'no address'],
    ['password', 'short'],
    ['password', 'Basketball'],
    ['password', 'CAROL@Example.org'],
  ])('returns 422 if %s is %o, and keeps the input except for the password', async (field, value) => {
    const { status, text } = await app.guest.post('/signup', { form: { ...form, [field]: value } })
    expect(status).toBe(422)
    expect(text).toMatch(new RegExp(`aria-describedby="[^"]*${field}-error`))
    expect(text).not.toContain(form.password)
  })

  it.each(['\u202enimdA', 'Al\u200bice', '\u200b\u200b', 'Al\nice', '...'])(
    'rejects the name %j',
    async (name) => {
      expect((await app.guest.post('/signup', { form: { ...form, name } })).status).toBe(422)
    },
  )

  it.each(['roles', 'role', 'is_admin', 'disabled_at', 'user[role]'])(
    'rejects a field named %s',
    async (field) => {
      expect((await app.guest.post('/signup', { form: { ...form, [field]: 'admin' } })).status).toBe(422)
      expect(await app.db.selectFrom('users').select('id').execute()).toEqual([])
    },
  )

  it('rejects an address that is taken, in upper or lower case', async () => {
    await app.guest.post('/signup', { form })
    const again = await new TestClient(app.url).post('/signup', {
      form: { ...form, email: ' CAROL@example.org' },
    })
    expect(again.status).toBe(422)
    expect(again.text).toContain('An account with this email address already exists.')
  })

  it('does not sign in a repeated request, and records one event', async () => {
    await app.db.deleteFrom('security_events').execute()
    const repeated = { form: { ...form, _token: 'the token of a form' } }
    expect((await new TestClient(app.url).post('/signup', repeated)).status).toBe(303)
    const client = new TestClient(app.url)
    expect((await client.post('/signup', repeated)).status).toBe(422)
    expect(client.cookies.has('sid')).toBe(false)
    expect(await app.db.selectFrom('security_events').select('kind').execute()).toHaveLength(1)
  })

  it('creates one account for ten concurrent attempts', async () => {
    const clients = Array.from({ length: 10 }, () => new TestClient(app.url))
    const statuses = (await Promise.all(clients.map((client) => client.post('/signup', { form })))).map(
      ({ status }) => status,
    )
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    expect(statuses.filter((status) => status === 422 || status === 429)).toHaveLength(9)
  })

  it('reserves the addresses of the demo accounts', async () => {
    const demo = { form: { ...form, email: 'alice@example.test' } }
    const without = await testApp({ database: app, env: { ACCOUNTS__DEMO: 'false' } })
    expect((await without.guest.post('/signup', demo)).status).toBe(422)
    expect((await new TestClient(app.url).post('/signup', demo)).status).toBe(303)
  })

  it('allows ten attempts per address and hour, successful or not', async () => {
    const signUp = (count: number) =>
      new TestClient(app.url).post('/signup', { form: { ...form, email: `carol-${count}@example.org` } })
    for (let count = 0; count < 10; count++) expect((await signUp(count)).status).toBe(303)
    const refused = await signUp(10)
    expect([refused.status, Number(refused.headers.get('retry-after')) > 900]).toEqual([429, true])
  })

  it('returns 404 if sign-up is disabled', async () => {
    const closed = await testApp({ database: app, env: { ACCOUNTS__SIGN_UP: 'false' } })
    expect((await closed.guest.get('/signup')).status).toBe(404)
    expect((await closed.guest.get('/login')).text).not.toContain('/signup')
  })
})
