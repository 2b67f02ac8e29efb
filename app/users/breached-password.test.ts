import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { mailedLink, signUp } from '#app/test/mailed-link.ts'
import { testApp } from '#app/test/test-app.ts'
import { isBreached } from './breached-password.ts'

const PASSWORD = 'correct horse battery staple'
/** The SHA-1 digest of the password. */
const [START, REST] = ['ABF7A', 'AD6438836DBE526AA231ABDE2D0EEF74D42']

const requests: { url: string | undefined; padding: unknown }[] = []
let answer: { status: number; text: string } | null
const server = createServer((req, res) => {
  requests.push({ url: req.url, padding: req.headers['add-padding'] })
  if (answer) res.writeHead(answer.status, { Location: '/elsewhere' }).end(answer.text)
})
await once(server.listen(0, '127.0.0.1'), 'listening')
const list = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const lines = (count: number) => `${'0'.repeat(35)}:3\r\n${REST}:${count}\r\n${'F'.repeat(35)}:1`
beforeEach(() => {
  requests.length = 0
  answer = { status: 200, text: lines(7) }
})

describe('isBreached', () => {
  it('sends five digits of the digest, and asks for padding', async () => {
    expect(await isBreached(list, PASSWORD)).toBe(true)
    expect(requests).toEqual([{ url: `/range/${START}`, padding: 'true' }])
  })

  it.each([
    ['another password', lines(7), 'correct horse battery stapler'],
    ['an added line, with the count 0', lines(0), PASSWORD],
    ['an empty answer', '', PASSWORD],
  ])('is false for %s', async (_what, text, password) => {
    answer = { status: 200, text }
    expect(await isBreached(list, password)).toBe(false)
  })

  it.each([
    ['an error', { status: 503, text: lines(7) }],
    ['a redirect', { status: 302, text: '' }],
    ['no answer within a second', null],
  ])('rejects after %s', async (_what, unusable) => {
    answer = unusable
    await expect(isBreached(list, PASSWORD)).rejects.toThrow(/status 503|fetch failed|timeout/)
  })
})

describe('a new password', async () => {
  const app = await testApp({ env: { ACCOUNTS__BREACHED_PASSWORDS: list } })
  const email = 'carol@example.org'

  it('of the list is rejected, by a sign-up, a reset and a change', async () => {
    await app.guest.post('/signup', { form: { email } })
    const [path = '', token = ''] = (await mailedLink(app, email)).split('?token=')
    const page = await app.guest.post(path, { form: { token, name: 'Carol', password: PASSWORD } })
    expect([page.status, page.text]).toEqual([
      422,
      expect.stringContaining('in a data breach of another site'),
    ])
    answer = null
    const client = await signUp(app, { email: 'dave@example.org', password: PASSWORD })
    answer = { status: 200, text: lines(7) }
    const form = { _method: 'PUT', current_password: PASSWORD, password: PASSWORD }
    const changed = await client.post('/account/password', { form })
    expect([changed.status, changed.text]).toEqual([422, expect.stringContaining('data breach')])
    await app.guest.post('/password-reset', { form: { email: 'dave@example.org' } })
    const [reset = '', other = ''] = (await mailedLink(app, 'dave@example.org')).split('?token=')
    const again = await app.guest.post(reset, { form: { token: other, password: PASSWORD } })
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('data breach')])
  })

  it('is accepted if the list does not answer', async () => {
    answer = { status: 500, text: '' }
    const client = await signUp(app, { email: 'erin@example.org', password: PASSWORD })
    expect((await client.get('/account')).status).toBe(200)
  })
})
