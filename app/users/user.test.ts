import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { contextOf, policy } from 'pergola'
import { lockWait } from 'pergola/testing'
import { testApp } from '#app/test/test-app.ts'
import { makeTestNote, testNoteApp } from '#app/test/test-note.ts'
import { makeUser } from './user.factory.ts'
import { userEmails, users } from './user.repository.ts'

const app = await testNoteApp()
const [adminUser, aliceUser] = await app.within(() =>
  Promise.all([makeUser({ name: 'Admin', roles: ['admin'] }), makeUser({ name: 'Alice' })]),
)
const [admin, alice] = await Promise.all([app.signInAs(adminUser.email), app.signInAs(aliceUser.email)])

const make = (values: Parameters<typeof makeUser>[0] = {}) => app.within(() => makeUser(values))
const stored = (id: number) => app.within(() => users.asSystem('test').find(id))
const set = (id: number, values: { roles?: string[]; disabled_at?: string | null }) =>
  app.within(() => users.asSystem('test').update(id, values))
const isSignedIn = async (client: typeof admin) => (await client.get('/account')).status === 200

/** Returns the hidden fields of the forms on a user's page. */
const hiddenFields = async (client: typeof admin, id: number) => {
  const [, version] = /name="_version" value="(\d+)"/.exec((await client.get(`/users/${id}`)).text) ?? []
  return { _method: 'PUT', ...(version !== undefined && { _version: version }) }
}
const putRoles = async (client: typeof admin, id: number, form: Record<string, string> = {}) =>
  client.post(`/users/${id}/roles`, { form: { ...(await hiddenFields(client, id)), ...form } })
const putAccess = async (client: typeof admin, id: number, access: string) =>
  client.post(`/users/${id}/access`, { form: { ...(await hiddenFields(client, id)), access } })
const deleteSessions = (client: typeof admin, id: number) =>
  client.post(`/users/${id}/sessions`, { form: { _method: 'DELETE' } })

describe('every route of /users', () => {
  const requests = (client: typeof admin, id: number | string) => [
    client.get('/users'),
    client.get(`/users/${id}`),
    client.put(`/users/${id}/roles`, { form: { admin: 'on' } }),
    client.put(`/users/${id}/access`, { form: { access: 'disabled' } }),
    client.delete(`/users/${id}/sessions`),
  ]
  const statuses = async (client: typeof admin, id: number | string) =>
    (await Promise.all(requests(client, id))).map(({ status }) => status)

  it('redirects guests to the sign-in page, returns 403 to members, and writes nothing', async () => {
    const user = await make()
    expect(await statuses(app.guest, user.id)).toEqual([303, 303, 303, 303, 303])
    expect(await statuses(alice, user.id)).toEqual([403, 403, 403, 403, 403])
    expect(await statuses(alice, 999_999)).toEqual([403, 403, 403, 403, 403])
    expect(await stored(user.id)).toMatchObject({ roles: [], disabled_at: null })
  })

  it('returns 401 to guests for htmx and JSON requests', async () => {
    const htmx = await app.guest.get('/users', { headers: { 'hx-request': 'true' } })
    expect([htmx.status, htmx.headers.get('hx-redirect')]).toEqual([401, '/login?return_to=%2Fusers'])
    expect((await app.guest.get('/users', { headers: { accept: 'application/json' } })).status).toBe(401)
  })

  it.each(['999999', 'abc', '01', '-1', '9'.repeat(40), '%00'])('returns 404 for the id %s', async (id) => {
    expect(await statuses(admin, id)).toEqual([200, 404, 404, 404, 404])
  })

  it('returns 405 for other methods, with or without _method', async () => {
    for (const method of ['PUT', 'PATCH']) {
      const answer = await admin.post(`/users/${aliceUser.id}`, { form: { _method: method } })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE'])
    }
    expect((await admin.post(`/users/${aliceUser.id}/roles`, { form: { admin: 'on' } })).status).toBe(405)
    expect(await stored(aliceUser.id)).toMatchObject({ roles: [] })
  })
})

describe('GET /users', () => {
  it('lists name, address, roles and state, with a link to each', async () => {
    const gone = await make({ name: 'Gone <b>', roles: ['admin'] })
    await set(gone.id, { disabled_at: '2026-03-05T00:00:00Z' })
    const { text } = await admin.get('/users?size=100')
    const row = text.split('role="row"').find((part) => part.includes(`href="/users/${gone.id}"`)) ?? ''
    for (const shown of ['Gone &lt;b&gt;', gone.email, '>Admin<', 'Disabled', 'Mar 5, 2026'])
      expect(row).toContain(shown)
    expect(text).not.toContain('password')
  })

  it('is paged, and ignores invalid page parameters', async () => {
    const { text } = await admin.get('/users?size=1')
    expect(text).toContain('href="/users?size=1&amp;page=2"')
    for (const query of ['page=abc&size=200', 'page=9999999999999', 'page=4294967295&size=100', 'size=0'])
      expect((await admin.get(`/users?${query}`)).status).toBe(200)
  })

  const listed = async (query: string) => {
    const { text } = await admin.get(`/users?size=100&${query}`)
    return [...text.matchAll(/<a href="\/users\/(\d+)"/g)].map(([, id]) => Number(id))
  }

  it('is searched by words of the name, or by a part of the address with its @', async () => {
    const user = await make({ name: 'Found Me' })
    for (const q of ['found me', user.email.toUpperCase(), `${user.email.split('@')[0]?.slice(2)}@`])
      expect(await listed(`q=${encodeURIComponent(q)}`)).toEqual([user.id])
    for (const q of ['@no', '@%', "'@", '@_']) expect(await listed(`q=${encodeURIComponent(q)}`)).toEqual([])
    const { text } = await admin.get(`/users?q=${encodeURIComponent(user.email)}`)
    expect(text).toContain(`value="${user.email}"`)
  })

  it('is filtered by role and state, and ignores other values', async () => {
    const [unconfirmed, disabled] = [await make({ verified: false }), await make({ roles: ['admin'] })]
    await set(disabled.id, { disabled_at: '2026-03-05T00:00:00Z' })
    const all = await listed('')
    const has = async (query: string) => {
      const found = await listed(query)
      return [adminUser, aliceUser, unconfirmed, disabled].map(({ id }) => found.includes(id))
    }
    expect(await has('state=active')).toEqual([true, true, false, false])
    expect(await has('state=unconfirmed')).toEqual([false, false, true, false])
    expect(await has('state=disabled&role=admin')).toEqual([false, false, false, true])
    expect(await has('role=admin')).toEqual([true, false, false, true])
    for (const query of ['state=x', 'role=owner', 'state=active&state=disabled'])
      expect(await listed(query)).toEqual(all)
    const { text } = await admin.get('/users?state=disabled&size=1')
    expect(text).toContain('<option value="disabled" selected>')
  })

  it('can’t be sorted or filtered by hidden columns', async () => {
    const all = await listed('')
    expect(all.length).toBeGreaterThan(1)
    for (const query of ['sort=email', 'sort=password_digest&dir=desc', `email=${aliceUser.email}`])
      expect(await listed(query)).toEqual(all)
  })

  it('counts up to a limit', async () => {
    app.statements.length = 0
    expect((await admin.get('/users?size=1')).status).toBe(200)
    const counts = app.statements.filter((text) => text.includes('count(*)'))
    expect(counts).toEqual([expect.stringContaining('limit')])
  })
})

describe('email addresses', () => {
  it('appear only on the pages of admins and of the user’s own account', async () => {
    await app.within(() => makeTestNote({ owner_id: aliceUser.id }))
    const pages = ['/', '/test-notes', '/test-notes/new', '/account/delete', '/api/test-notes']
    const own = ['/account', '/account/password', '/account/confirm']
    for (const client of [admin, app.guest])
      for (const path of [...pages, ...own])
        expect((await client.get(path)).text).not.toContain(aliceUser.email)
    for (const path of pages) expect((await alice.get(path)).text).not.toContain(aliceUser.email)
    for (const path of own) expect((await alice.get(path)).text).toContain(aliceUser.email)
  })

  it('are returned to admins, and to other users only their own', async () => {
    const both = [adminUser, aliceUser]
    const seenBy = (user: typeof adminUser | null) =>
      app.within(() => {
        const session = user && { id: '', userId: user.id, name: user.name, roles: user.roles }
        return userEmails(
          contextOf(session),
          both.map(({ id }) => id),
        )
      })
    expect(await seenBy(adminUser)).toEqual(new Map(both.map(({ id, email }) => [id, email])))
    expect(await seenBy(aliceUser)).toEqual(new Map([[aliceUser.id, aliceUser.email]]))
    expect(await seenBy(null)).toEqual(new Map())
  })
})

describe('GET /users/:id', () => {
  it('shows one user with the forms', async () => {
    const user = await make({ name: 'Carol' })
    await app.signInAs(user.email)
    const { text } = await admin.get(`/users/${user.id}`)
    expect(text).toContain(user.email)
    expect(text).toContain('Signed in with 1 browser.')
    for (const path of ['roles', 'access', 'sessions'])
      expect(text).toContain(`action="/users/${user.id}/${path}"`)
  })
})

describe('a change by an admin', () => {
  it('is mailed to the user, if the address is confirmed', async () => {
    const [user, unconfirmed] = [await make({ name: 'Dora' }), await make({ verified: false })]
    await app.mails()
    await putRoles(admin, user.id, { admin: 'on' })
    await putRoles(admin, user.id)
    // These change nothing.
    await putRoles(admin, user.id)
    await putAccess(admin, user.id, 'enabled')
    await putAccess(admin, user.id, 'disabled')
    await putRoles(admin, unconfirmed.id, { admin: 'on' })
    const mails = await app.mails()
    expect(new Set(mails.map(({ to }) => to))).toEqual(new Set([user.email]))
    expect(mails.map(({ data }) => (data as { text: string }).text).toSorted()).toEqual([
      'Your account is now disabled.',
      'Your roles are now: admin.',
      'Your roles are now: none.',
    ])
    expect(mails[0]?.text).toContain('Hello Dora,')
  })
})

describe('PUT /users/:id/roles', () => {
  it('grants and revokes roles, which apply to open sessions at their next request', async () => {
    const user = await make()
    const clients = await Promise.all([app.signInAs(user.email), app.signInAs(user.email)])
    const see = () => Promise.all(clients.map(async (client) => (await client.get('/users')).status))
    const answer = await putRoles(admin, user.id, { admin: 'on' })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/users/${user.id}`])
    expect(await see()).toEqual([200, 200])
    await putRoles(admin, user.id)
    expect(await see()).toEqual([403, 403])
  })

  it.each([
    ['editor', 'on'],
    ['roles', 'admin'],
    ['admin', 'certainly'],
    ['disabled_at', ''],
    ['id', '1'],
    ['constructor', 'admin'],
    ['_method[]', 'PUT'],
  ])('returns 422 for %s=%s and writes nothing', async (field, value) => {
    const user = await make()
    const answer = await putRoles(admin, user.id, { [field]: value })
    expect(answer.status).toBe(422)
    expect(answer.text).toContain('<title>Error: ')
    expect(await stored(user.id)).toMatchObject({ roles: [] })
  })

  it('keeps roles without a checkbox', async () => {
    const user = await make({ roles: ['gardener', 'admin'] })
    await putRoles(admin, user.id)
    expect(await stored(user.id)).toMatchObject({ roles: ['gardener'] })
  })

  it('rejects a JSON body', async () => {
    const { status } = await admin.put(`/users/${aliceUser.id}/roles`, { json: { admin: true } })
    expect(status).toBe(415)
  })

  it('lets an admin remove their own role if another admin exists, effective at the next request', async () => {
    const user = await make({ roles: ['admin'] })
    const client = await app.signInAs(user.email)
    expect((await putRoles(client, user.id)).status).toBe(303)
    expect((await client.get('/users')).status).toBe(403)
    expect((await putRoles(client, user.id, { admin: 'on' })).status).toBe(403)
  })
})

describe('PUT /users/:id/access', () => {
  it('ends every session of a disabled user, and enabling restores none', async () => {
    const user = await make({ name: 'Carol' })
    const clients = await Promise.all([app.signInAs(user.email), app.signInAs(user.email)])
    const [page, api] = clients
    expect((await putAccess(admin, user.id, 'disabled')).status).toBe(303)
    expect((await page.get('/account')).headers.get('location')).toBe('/login?return_to=%2Faccount')
    expect((await api.post('/api/test-notes', { json: { title: 'T', body: 'B' } })).status).toBe(401)
    await expect(app.signInAs(user.email)).rejects.toThrow('422')
    expect((await admin.get(`/users/${user.id}`)).text).toContain('Carol is now disabled.')

    expect((await putAccess(admin, user.id, 'enabled')).status).toBe(303)
    expect(await Promise.all(clients.map(isSignedIn))).toEqual([false, false])
    expect(await isSignedIn(await app.signInAs(user.email))).toBe(true)
  })

  it('keeps the first date if a user is disabled again', async () => {
    const user = await make()
    await set(user.id, { disabled_at: '2026-03-05T00:00:00Z' })
    await putAccess(admin, user.id, 'disabled')
    expect(await stored(user.id)).toMatchObject({ disabled_at: '2026-03-05T00:00:00.000000Z' })
  })

  it.each([
    ['access', 'sometimes'],
    ['access', ''],
    ['disabled_at', ''],
    ['roles', 'admin'],
  ])('returns 422 for %s=%s and writes nothing', async (field, value) => {
    const form = { ...(await hiddenFields(admin, aliceUser.id)), [field]: value }
    expect((await admin.post(`/users/${aliceUser.id}/access`, { form })).status).toBe(422)
    expect(await stored(aliceUser.id)).toMatchObject({ disabled_at: null, roles: [] })
  })

  it('lets an admin disable themselves if another admin exists', async () => {
    const user = await make({ roles: ['admin'] })
    const client = await app.signInAs(user.email)
    expect((await putAccess(client, user.id, 'disabled')).status).toBe(303)
    expect((await client.get('/users')).status).toBe(303)
  })
})

describe('DELETE /users/:id/sessions', () => {
  it('ends all sessions of the user, and none of other users', async () => {
    const user = await make()
    const clients = await Promise.all([app.signInAs(user.email), app.signInAs(user.email)])
    expect((await deleteSessions(admin, user.id)).status).toBe(303)
    expect(await Promise.all(clients.map(isSignedIn))).toEqual([false, false])
    expect(await Promise.all([admin, alice].map(isSignedIn))).toEqual([true, true])
    expect(await isSignedIn(await app.signInAs(user.email))).toBe(true)
  })
})

describe('the last admin', async () => {
  const own = await testApp()
  const ownUsers = (work: () => Promise<unknown>) => own.within(work)
  const enabledAdmins = () =>
    own.db
      .selectFrom('users')
      .select('id')
      .where('disabled_at', 'is', null)
      .where(sql<boolean>`'admin' = any(roles)`)
      .execute()
  const admins = async (count: number) => {
    await ownUsers(() =>
      users
        .asSystem('test')
        .findAll()
        .then((all) => Promise.all(all.map(({ id }) => users.asSystem('test').update(id, { roles: [] })))),
    )
    const made = await own.within(() =>
      Promise.all(Array.from({ length: count }, () => makeUser({ roles: ['admin'] }))),
    )
    return Promise.all(made.map(async (user) => ({ ...user, client: await own.signInAs(user.email) })))
  }
  const MESSAGE = 'This is the last active admin.'

  it('can’t be demoted or disabled: the form shows an error, and nothing is written', async () => {
    const [only] = await admins(1)
    if (!only) throw new Error('No admin was created.')
    const before = await own.within(() => users.asSystem('test').find(only.id))
    const demoted = await putRoles(only.client, only.id)
    expect([demoted.status, demoted.text.includes(MESSAGE)]).toEqual([422, true])
    expect(demoted.text).toMatch(/<input[^>]* name="admin"[^>]* aria-invalid="true"/)
    const disabled = await putAccess(only.client, only.id, 'disabled')
    expect([disabled.status, disabled.text.includes(MESSAGE)]).toEqual([422, true])
    for (const { text } of [demoted, disabled]) expect(text.split('name="_version"')).toHaveLength(3)
    expect(await own.within(() => users.asSystem('test').find(only.id))).toEqual(before)
    expect(await isSignedIn(only.client)).toBe(true)
  })

  it('is the only enabled admin: disabled admins don’t count', async () => {
    const [only, other] = await admins(2)
    if (!only || !other) throw new Error('No admins were created.')
    expect((await putAccess(only.client, other.id, 'disabled')).status).toBe(303)
    expect((await putRoles(only.client, only.id)).status).toBe(422)
    expect((await putRoles(only.client, other.id)).status).toBe(303)
    await putAccess(only.client, other.id, 'enabled')
    await putRoles(only.client, other.id, { admin: 'on' })
    expect((await putRoles(only.client, only.id)).status).toBe(303)
  })

  it('is the only active admin: an unverified admin counts after a sign-in', async () => {
    const [only] = await admins(1)
    if (!only) throw new Error('No admin was created.')
    const unverified = await own.within(() => makeUser({ roles: ['admin'], verified: false }))
    expect((await putRoles(only.client, only.id)).status).toBe(422)
    await own.signInAs(unverified.email)
    expect((await putRoles(only.client, only.id)).status).toBe(303)
  })

  it.each(['roles', 'access', 'both'])(
    'remains when two admins demote each other concurrently: %s',
    async (what) => {
      for (let round = 0; round < 5; round++) {
        const [one, other] = await admins(2)
        if (!one || !other) throw new Error('No admins were created.')
        const takeFrom = (by: typeof one, from: typeof one, how: boolean) =>
          how ? putRoles(by.client, from.id) : putAccess(by.client, from.id, 'disabled')
        await Promise.all([takeFrom(one, other, what !== 'access'), takeFrom(other, one, what === 'roles')])
        expect(await enabledAdmins()).toHaveLength(1)
      }
    },
  )

  it('remains when ten concurrent requests demote five admins, without a deadlock', async () => {
    const all = await admins(5)
    const answers = await Promise.all(
      all.flatMap(({ client }, index) => {
        const next = all[(index + 1) % all.length]?.id ?? 0
        return [putRoles(client, next), putAccess(client, next, 'disabled')]
      }),
    )
    // More than one remains if an admin is demoted before their own request is authorized.
    expect((await enabledAdmins()).length).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => ![303, 403, 409, 422].includes(status))).toEqual([])
  })
})

describe('concurrent changes by two admins', () => {
  const CHANGED = 'Another user changed this record in the meantime.'

  it('of roles: the second gets a conflict with the stored values, and can save again', async () => {
    const user = await make()
    const form = { ...(await hiddenFields(admin, user.id)), admin: 'on' }
    const put = (sent: Record<string, string>) => admin.post(`/users/${user.id}/roles`, { form: sent })
    await putAccess(admin, user.id, 'disabled')
    const late = await put(form)
    expect([late.status, late.text.includes(CHANGED), late.text.includes('<title>Error: ')]).toEqual([
      409,
      true,
      true,
    ])
    expect(late.text).toMatch(/<input[^>]* name="admin"[^>]* checked>/)
    expect(late.text).toContain('Current value: <span dir="auto">not checked</span>')
    expect(late.text).toContain('>Disabled</small>')
    expect(late.text.match(/<[^>]* autofocus[^>]*>/g)).toEqual([expect.stringContaining('name="admin"')])
    expect(await stored(user.id)).toMatchObject({ roles: [] })
    const [, version = ''] = /name="_version" value="(\d+)"/.exec(late.text) ?? []
    expect((await put({ ...form, _version: version })).status).toBe(303)
    expect(await stored(user.id)).toMatchObject({ roles: ['admin'], version: 3 })
  })

  it('of access, both sent before either is stored: the second gets a conflict', async () => {
    const user = await make()
    const form = { ...(await hiddenFields(admin, user.id)), access: 'disabled' }
    const { answers } = await app.db.transaction().execute(async (holder) => {
      await sql`select from users where id = ${user.id} for update`.execute(holder)
      const put = () => admin.post(`/users/${user.id}/access`, { form })
      const answers = Promise.all([put(), put()])
      await lockWait(app.db, 2)
      return { answers }
    })
    const [first, second] = (await answers).toSorted((one, other) => one.status - other.status)
    expect([first?.status, second?.status]).toEqual([303, 409])
    expect(second?.text).toContain(CHANGED)
    expect(await stored(user.id)).toMatchObject({ disabled_at: expect.any(String), version: 2 })
  })

  it('between the version check and the write: the page shows the current user', async () => {
    let calls = 0
    const meddling = policy(users.resource, {
      canAdminister: async (_ctx, { id }) => {
        if (++calls === 1) await users.asSystem('meanwhile').update(id, { name: 'By now' })
        return true
      },
    })
    const user = await make({ name: 'Before' })
    const raced = await testApp({ database: app, policies: [[users.resource, meddling]] })
    const racer = await raced.signInAs(adminUser.email)
    const late = await racer.put(`/users/${user.id}/roles`, { form: { admin: 'on', _version: '1' } })
    expect([late.status, late.text.includes(CHANGED)]).toEqual([409, true])
    expect(late.text).toContain('By now</h1>')
    expect(late.text.match(/name="_version" value="2"/g)).toHaveLength(2)
  })

  it('in fifty rounds: store one, reject the other, and lose no role', async () => {
    for (let round = 0; round < 50; round++) {
      const user = await make({ roles: ['gardener'] })
      const form = await hiddenFields(admin, user.id)
      const answers = await Promise.all(
        [{ admin: 'on' }, {}].map((boxes) =>
          admin.post(`/users/${user.id}/roles`, { form: { ...form, ...boxes } }),
        ),
      )
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([303, 409])
      const roles = answers[0]?.status === 303 ? ['gardener', 'admin'] : ['gardener']
      expect(await stored(user.id)).toMatchObject({ roles, version: 2 })
    }
  })

  it('require a version in the form', async () => {
    const user = await make()
    const answer = await admin.post(`/users/${user.id}/roles`, { form: { _method: 'PUT', admin: 'on' } })
    expect(answer.status).toBe(428)
    expect(answer.text).toContain('has no version of the record')
  })
})
