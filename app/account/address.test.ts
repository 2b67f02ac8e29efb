import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, clearRateLimits, comparable, lockWait, TestClient } from 'pergola/testing'
import { mailedLink, tokenOf } from '#app/test/mailed-link.ts'
import { testApp } from '#app/test/test-app.ts'
import { DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { makeUser } from '#app/users/user.factory.ts'

const app = await testApp()
let sequence = 0

beforeEach(async () => {
  await clearRateLimits(app.db)
  await app.mails()
})

/** Returns a client in which a new user is signed in. */
async function newcomer(values: Parameters<typeof makeUser>[0] = {}) {
  const user = await app.within(() => makeUser(values))
  return Object.assign(await app.signInAs(user.email), { user })
}
const freeAddress = () => `free-${++sequence}@example.org`
const stored = (id: number) =>
  app.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const isSignedIn = async (client: TestClient) => (await client.get('/account/password')).status === 200

const request = (client: TestClient, email: string) =>
  client.post('/account/address', { form: { _method: 'PUT', email } })
const requestedToken = async (client: TestClient, email: string) => {
  await request(client, email)
  return tokenOf(await mailedLink(app, email))
}
const confirm = (client: TestClient, token: string) =>
  client.post('/account/address/confirm', { form: { token } })
const visible = (answer: Answer) => {
  const { headers, ...others } = comparable(answer)
  return { ...others, headers: headers.filter(([name]) => name !== 'set-cookie') }
}

describe('PUT /account/address', () => {
  it('mails a link to the new address, without the name, and changes nothing', async () => {
    const client = await newcomer({ name: 'Mallory' })
    const answer = await request(client, ' NEW@example.org ')
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/check-mail'])
    const [mail, ...others] = await app.mails()
    expect([mail, others]).toMatchObject([{ name: 'address-change', to: 'new@example.org' }, []])
    expect(mail?.text).not.toContain('Mallory')
    expect((await stored(client.user.id)).email).toBe(client.user.email)
  })

  it('returns the same bytes for a taken address, by the same statements, and mails its owner', async () => {
    const client = await newcomer()
    const taken = await app.within(() => makeUser())
    const requestTo = async (address: string) => {
      app.statements.length = 0
      const answer = visible(await request(client, address))
      return { answer, statements: [...app.statements] }
    }
    const free = await requestTo(freeAddress())
    await app.mails()
    expect(await requestTo(taken.email)).toEqual(free)
    expect(await app.mails()).toMatchObject([{ name: 'address-taken', to: taken.email }])
  })

  it('lets the owner of an address take over and delete an unverified account that has it', async () => {
    const client = await newcomer()
    const stranger = await app.within(() => makeUser({ verified: false }))
    await request(client, stranger.email)
    const [mail] = await app.mails()
    expect(mail?.text).toContain('/password-reset\n')
    const owner = new TestClient(app.url)
    await owner.post('/password-reset', { form: { email: stranger.email } })
    const reset = {
      token: tokenOf(await mailedLink(app, stranger.email)),
      name: 'Owner',
      password: 'a password of the owner',
    }
    expect((await owner.post('/password-reset/new', { form: reset })).status).toBe(303)
    expect((await owner.post('/account', { form: { _method: 'DELETE' } })).status).toBe(303)
    const token = await requestedToken(client, stranger.email)
    expect((await confirm(client, token)).status).toBe(303)
    expect((await stored(client.user.id)).email).toBe(stranger.email)
  })

  it.each([
    ['email', 'no address'],
    ['email', ''],
    ['roles', 'admin'],
  ])('returns 422 for %s=%s', async (field, value) => {
    const client = await newcomer()
    const form = { _method: 'PUT', email: freeAddress(), [field]: value }
    expect((await client.post('/account/address', { form })).status).toBe(422)
    expect(await app.mails()).toEqual([])
  })

  it('returns 422 for the own address', async () => {
    const client = await newcomer()
    const { status, text } = await request(client, client.user.email)
    expect([status, text.includes('already the address of your account')]).toEqual([422, true])
  })

  it('accepts five requests per new address and hour', async () => {
    const client = await newcomer()
    const address = freeAddress()
    for (let count = 0; count < 5; count++) expect((await request(client, address)).status).toBe(303)
    expect((await request(client, address)).status).toBe(429)
  })

  it('asks for the password if the sign-in was more than 15 minutes ago', async () => {
    const client = await newcomer()
    await sql`update sessions set confirmed_at = now() - interval '16 minutes'
      where user_id = ${client.user.id}`.execute(app.db)
    for (const answer of [await client.get('/account/address'), await request(client, freeAddress())])
      expect(answer.headers.get('location')).toMatch(/^\/account\/confirm\?/)
    expect(await app.mails()).toEqual([])
  })

  it('mails nothing for a session that a concurrent change of the password ends', async () => {
    const client = await newcomer()
    const { waiting } = await app.db.transaction().execute(async (holder) => {
      await holder.selectFrom('users').select('id').where('id', '=', client.user.id).forUpdate().execute()
      const waiting = request(client, freeAddress())
      await lockWait(app.db)
      await holder.deleteFrom('sessions').where('user_id', '=', client.user.id).execute()
      return { waiting }
    })
    expect((await waiting).status).toBe(401)
    expect(await app.mails()).toEqual([])
  })

  it('redirects guests to the sign-in page', async () => {
    expect((await app.guest.get('/account/address')).status).toBe(303)
    expect((await request(app.guest, freeAddress())).headers.get('location')).toMatch(/^\/login\?/)
  })
})

describe('GET /account/address/confirm', () => {
  it('shows a button to the user, and changes nothing', async () => {
    const client = await newcomer()
    const address = freeAddress()
    await request(client, address)
    const link = await mailedLink(app, address)
    for (let visit = 0; visit < 3; visit++) {
      const { status, headers, text } = await client.get(link)
      expect([status, headers.get('referrer-policy')]).toEqual([200, 'strict-origin'])
      expect(text).toContain(address)
    }
    expect((await stored(client.user.id)).email).toBe(client.user.email)
  })

  it('asks guests to sign in, without the address, and then shows the link', async () => {
    const client = await newcomer()
    const address = freeAddress()
    await request(client, address)
    const link = await mailedLink(app, address)
    const guest = new TestClient(app.url)
    const { status, headers, text } = await guest.get(link)
    expect([status, text.includes('Sign in first'), text.includes(address)]).toEqual([200, true, false])
    expect(headers.get('referrer-policy')).toBe('strict-origin')
    const [, return_to = ''] = /name="return_to" value="([^"]*)"/.exec(text) ?? []
    const form = { email: client.user.email, password: DEMO_PASSWORD, return_to }
    expect((await guest.post('/login', { form })).headers.get('location')).toBe(return_to)
    expect((await guest.get(return_to)).text).toContain(address)
  })
})

describe('POST /account/address/confirm', () => {
  it('replaces the address, and mails a notice to the former one', async () => {
    const client = await newcomer()
    const address = freeAddress()
    const answer = await confirm(client, await requestedToken(client, address))
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
    expect(await stored(client.user.id)).toMatchObject({
      email: address,
      email_verified_at: expect.any(String),
    })
    expect(await app.mails()).toMatchObject([{ name: 'address-changed', to: client.user.email }])
    expect(await isSignedIn(await app.signInAs(address))).toBe(true)
    const events = app.db.selectFrom('security_events').select('kind')
    const kinds = await events.where('target_id', '=', client.user.id).orderBy('id').execute()
    expect(kinds.map(({ kind }) => kind)).toContain('address-changed')
  })

  it('ends the other sessions of the user', async () => {
    const client = await newcomer()
    const other = await app.signInAs(client.user.email)
    await confirm(client, await requestedToken(client, freeAddress()))
    expect([await isSignedIn(client), await isSignedIn(other)]).toEqual([true, false])
  })

  it('verifies the user, and mails nothing to a former address that was not verified', async () => {
    const client = await newcomer({ verified: false })
    const token = await requestedToken(client, freeAddress())
    expect((await confirm(client, token)).status).toBe(303)
    expect((await stored(client.user.id)).email_verified_at).toEqual(expect.any(String))
    expect(await app.mails()).toEqual([])
  })

  it('rejects guests and other users', async () => {
    const [client, other] = [await newcomer(), await newcomer()]
    const address = freeAddress()
    const token = await requestedToken(client, address)
    expect((await confirm(app.guest, token)).headers.get('location')).toMatch(/^\/login\?/)
    expect((await confirm(other, token)).status).toBe(404)
    expect((await other.get(`/account/address/confirm?token=${token}`)).status).toBe(404)
    expect((await stored(other.user.id)).email).toBe(other.user.email)
    expect((await confirm(client, token)).status).toBe(303)
  })

  it('rejects a link to an address that was taken meanwhile', async () => {
    const client = await newcomer()
    const address = freeAddress()
    const token = await requestedToken(client, address)
    const taker = await app.within(() => makeUser())
    await app.db.updateTable('users').set({ email: address }).where('id', '=', taker.id).execute()
    expect((await confirm(client, token)).status).toBe(404)
    expect((await stored(client.user.id)).email).toBe(client.user.email)
  })

  it('invalidates all other links of the user', async () => {
    const client = await newcomer()
    const [one, other] = [freeAddress(), freeAddress()]
    const first = await requestedToken(client, one)
    const second = await requestedToken(client, other)
    expect((await confirm(client, second)).status).toBe(303)
    expect((await confirm(client, first)).status).toBe(404)
    expect((await stored(client.user.id)).email).toBe(other)
  })

  it('gives one of two users who confirm the same address concurrently the address', async () => {
    const [one, other] = [await newcomer(), await newcomer()]
    const address = freeAddress()
    const tokens = [await requestedToken(one, address), await requestedToken(other, address)]
    const answers = await Promise.all([confirm(one, tokens[0]!), confirm(other, tokens[1]!)])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 404]))
  })
})

describe('/account/verification', () => {
  it('confirms the address by a link, and ends the other sessions', async () => {
    const client = await newcomer({ verified: false })
    const other = await app.signInAs(client.user.email)
    expect((await client.get('/account')).text).toContain('Not confirmed')
    expect((await client.post('/account/verification')).status).toBe(303)
    const link = await mailedLink(app, client.user.email)
    expect((await client.get(link)).status).toBe(200)
    expect((await stored(client.user.id)).email_verified_at).toBeNull()
    const form = { token: tokenOf(link) }
    expect((await client.post('/account/verification/confirm', { form })).status).toBe(303)
    expect((await stored(client.user.id)).email_verified_at).toEqual(expect.any(String))
    expect([await isSignedIn(client), await isSignedIn(other)]).toEqual([true, false])
    expect((await client.post('/account/verification/confirm', { form })).status).toBe(404)
    expect((await client.get('/account')).text).not.toContain('Not confirmed')
  })

  it('rejects the link of another user', async () => {
    const [client, other] = [await newcomer({ verified: false }), await newcomer({ verified: false })]
    await client.post('/account/verification')
    const form = { token: tokenOf(await mailedLink(app, client.user.email)) }
    expect((await other.post('/account/verification/confirm', { form })).status).toBe(404)
    expect((await app.guest.get(`/account/verification/confirm?token=${form.token}`)).text).toContain(
      'Sign in first',
    )
    expect((await client.post('/account/verification/confirm', { form })).status).toBe(303)
  })

  it('mails nothing to a verified address', async () => {
    const client = await newcomer()
    expect((await client.post('/account/verification')).text).toContain('is confirmed')
    expect(await app.mails()).toEqual([])
  })

  it('accepts five requests per hour', async () => {
    const client = await newcomer({ verified: false })
    const send = () => client.post('/account/verification')
    for (let count = 0; count < 5; count++) expect((await send()).status).toBe(303)
    const refused = await send()
    expect([refused.status, refused.text.includes('Too many mails')]).toEqual([429, true])
  })
})
