import { describe, expect, it } from 'vitest'
import { mayCreate, policy, publicRoute, routes, scope, Unavailable } from 'pergola'
import { readConfig } from '#app/config.ts'
import { makeLog } from '#app/log.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'
import { makeTestNote, TestNote, testNoteApp, testNotes } from './test/test-note.ts'

const lines: string[] = []
const config = readConfig({
  NODE_ENV: 'test',
  SERVER__LOG_LEVEL: 'trace',
  SESSION__SECRET: 'canary-secret'.repeat(4),
})
const log = makeLog(config, { write: (line) => void lines.push(line) })
const broken = () => {
  throw new Error('The rule broke.')
}
const unavailable = (cause?: Error, detail?: string) => () => {
  throw new Unavailable(cause, detail)
}
const refused = new Error('connection refused')
const asking = routes('/broken', {
  'GET /': [publicRoute(), async (req, res) => void res.json(await mayCreate(req, TestNote))],
  'GET /down': [publicRoute(), unavailable(refused)],
  'GET /without-payments': [publicRoute(), unavailable(refused, 'Payments are down.')],
  'GET /closed': [publicRoute(), unavailable(undefined, 'Closed until noon.')],
})
const app = await testNoteApp({
  log,
  resources: [{ repository: testNotes, routes: { asking } }, { repository: users }],
  policies: [[TestNote, policy(TestNote, { canShow: broken, canCreate: broken })]],
  scopes: [
    [TestNote, scope(TestNote, { where: (_ctx, is) => is('no_such_column' as never, '=', 'x' as never) })],
  ],
})
const written = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>)

describe('the log', () => {
  it('never contains secrets or the content of records', async () => {
    const { email } = await app.within(() => makeUser())
    const client = await app.signInAs(email)
    await client.post('/login', {
      form: { email, password: 'canary-password', Password: 'canary-2', pass_word: 'canary-3' },
    })
    for (const path of ['/signup', '/password-reset'])
      await client.post(path, { form: { email: 'canary@example.org' } })
    for (const path of ['/signup/confirm', '/password-reset/new', '/account/address/confirm']) {
      await client.get(`${path}?token=canary-token`)
      await client.post(path, {
        form: { token: 'canary-token', name: 'canary-name', password: 'canary-password' },
      })
    }
    const headers = {
      authorization: 'Bearer canary-bearer',
      cookie: 'canary=canary-cookie',
      referer: 'http://x/?canary-referer',
    }
    await client.get('/test-notes?token=canary-query', { headers })
    await client.get('/api/test-notes', { headers })
    const text = lines.join('')
    expect(lines.length).toBeGreaterThan(5)
    expect(text).not.toContain('canary')
    for (const cookie of client.cookies.values()) expect(text).not.toContain(cookie)
  })

  it('redacts the parts of mails', () => {
    lines.length = 0
    const mail = { to: 'canary@example.org', data: { link: 'https://example.org/?token=canary' } }
    log.info({ email: 'canary@example.org', mail, args: { mail: 'sign-up', sealed: 'canary' } }, 'sent')
    expect(lines.join('')).not.toContain('canary')
    expect(written()).toMatchObject([{ msg: 'sent', args: { mail: 'sign-up', sealed: '[redacted]' } }])
  })

  it('contains one line per response, with the request id of the caller', async () => {
    lines.length = 0
    const answer = await app.guest.get('/nowhere?x=1')
    const id = answer.headers.get('x-request-id')
    expect(written()).toMatchObject([{ req: { id, method: 'GET', path: '/nowhere' }, res: { status: 404 } }])
  })

  it('contains a well-formed request id of the client in a field of its own', async () => {
    lines.length = 0
    for (const id of ['from-the-proxy-1', 'short', '{"admin":true}'])
      await app.guest.get('/nowhere', { headers: { 'x-request-id': id } })
    const requests = written().map(({ req }) => req as { id: string; client_id?: string })
    expect(requests.map(({ client_id }) => client_id)).toEqual(['from-the-proxy-1', undefined, undefined])
    expect(requests.map(({ id }) => id)).not.toContain('from-the-proxy-1')
  })

  it('contains the address of the client and the id of the user', async () => {
    const { id, email } = await app.within(() => makeUser())
    const client = await app.signInAs(email)
    lines.length = 0
    await client.get('/account', { headers: { 'X-Forwarded-For': '203.0.113.7' } })
    await app.guest.get('/nowhere')
    expect(written()).toMatchObject([
      { req: { path: '/account', address: '127.0.0.1' }, user: id },
      { req: { path: '/nowhere', address: '127.0.0.1' } },
    ])
    expect(written()[1]).not.toHaveProperty('user')
  })

  it('contains neither with log_callers = false', async () => {
    const silent = await testNoteApp({ log, env: { SERVER__LOG_CALLERS: 'false' } })
    const { email } = await silent.within(() => makeUser())
    const client = await silent.signInAs(email)
    lines.length = 0
    await client.get('/account')
    expect(written()).toMatchObject([{ req: { path: '/account' } }])
    expect(lines.join('')).not.toMatch(/"(?:address|user)":/)
  })

  it('contains the first 500 characters of a path', async () => {
    lines.length = 0
    await app.guest.get(`/${'a'.repeat(12_000)}`)
    expect(written()).toMatchObject([{ req: { path: `/${'a'.repeat(499)}…` }, res: { status: 404 } }])
  })

  it('contains the error in the line of the failed request', async () => {
    lines.length = 0
    expect((await app.guest.get('/api/test-notes')).status).toBe(500)
    expect(written()).toMatchObject([{ level: 50, res: { status: 500 }, err: { cause: { code: '42703' } } }])
  })

  it('contains a failed service as an error, and a refusal with its reason as a warning', async () => {
    lines.length = 0
    for (const path of ['down', 'without-payments', 'closed'])
      expect((await app.guest.get(`/broken/${path}`)).status).toBe(503)
    const [down, payments, closed] = written()
    for (const failed of [down, payments])
      expect(failed).toMatchObject({ level: 50, err: { cause: { message: 'connection refused' } } })
    expect(closed).toMatchObject({ level: 40, msg: 'request refused', reason: 'Closed until noon.' })
    expect(closed).not.toHaveProperty('err')
  })

  it('contains the cause of a denial and the ids', async () => {
    const note = await app.within(() => makeTestNote({ title: 'canary-title' }))
    lines.length = 0
    await app.guest.get(`/api/test-notes/${note.id}`)
    const [event] = written().filter((line) => line['event'] === 'denied')
    expect(event).toMatchObject({
      actor: null,
      action: 'show',
      resource: 'TestNote',
      id: note.id,
      cause: 'error',
    })
    expect(event).toMatchObject({ err: { message: 'The rule broke.' } })
    expect(lines.join('')).not.toContain('canary')
  })

  it('contains the error of a rule, even if the rule only decides about a button', async () => {
    const { email } = await app.within(() => makeUser())
    const client = await app.signInAs(email)
    lines.length = 0
    await client.get('/broken')
    const [event] = written().filter((line) => line['event'] === 'denied')
    expect(event).toMatchObject({ action: 'create', cause: 'error', err: { message: 'The rule broke.' } })
  })

  it('writes one line for any input', async () => {
    lines.length = 0
    await app.guest.get('/%0a%0dforged')
    expect(lines).toHaveLength(1)
    expect(lines[0]?.trim()).not.toMatch(/\p{Cc}/u)
  })
})
