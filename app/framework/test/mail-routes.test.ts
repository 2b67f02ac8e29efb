import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { publicRoute, secured } from 'pergola'
import { prepareJobs } from 'pergola/jobs'
import { mailRoutes, send, sendMail, useMail } from 'pergola/mail'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApp } from './fixtures/test-app.ts'
import { mailSettings, welcome } from './fixtures/welcome.ts'

const folder = await mkdtemp(join(tmpdir(), 'pergola-inbox-'))
afterAll(() => rmSync(folder, { recursive: true }))
const stored = mailSettings({ url: pathToFileURL(folder).href })
const sent = mailSettings({ url: 'smtp://user:hunter2@mail.example.org:587' })
const app = await testApp({
  tables: [
    mailRoutes('/inbox', [publicRoute()], stored),
    mailRoutes('/sent', [publicRoute()], sent),
    mailRoutes('/private', [secured('admin')], stored),
  ],
})
await prepareJobs(app.db, [sendMail])
useMail(app.db, stored)

/** Returns the path of the only mail in the inbox. */
const pathOfMail = async () =>
  /href="(\/inbox\/[0-9a-f-]{36})"/.exec((await app.guest.get('/inbox')).text)?.[1] ?? ''

beforeAll(async () => {
  const data = { ...welcome.example, name: '<script>alert(1)</script>' }
  await app.within(() => send(welcome, { to: 'alice@example.org', data }))
  await app.mails()
})

describe('mailRoutes', () => {
  it('lists the stored mails and the declared ones', async () => {
    const { status, text } = await app.guest.get('/inbox')
    expect(status).toBe(200)
    expect(text).toContain('Welcome, &lt;script&gt;alert(1)&lt;/script&gt;</a> alice@example.org')
    expect(text).toContain('href="/inbox/previews/welcome"')
  })

  it('shows a mail with its text, links, headers and source', async () => {
    const path = await pathOfMail()
    const { status, text, headers } = await app.guest.get(path)
    expect(status).toBe(200)
    expect(text).toContain('Welcome, &lt;script&gt;')
    expect(text).toContain('<a href="https://example.org/begin?token=4f1c">')
    expect(text).toMatch(/^From: Fixture &lt;no-reply@example\.org&gt;\r?$/m)
    expect(text).toContain('Content-Transfer-Encoding')
    expect(text).toContain(`src="${path}/html"`)
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self';.*;frame-src 'self'$/)
  })

  it('shows a preview with the data of the example', async () => {
    const { status, text } = await app.guest.get('/inbox/previews/welcome')
    expect(status).toBe(200)
    expect(text).toContain('Welcome, Alice.')
    expect(text).toContain('src="/inbox/previews/welcome/html"')
  })

  it.each(['/inbox/previews/welcome/html', null])(
    'sends HTML that runs and loads nothing: %s',
    async (preview) => {
      const { status, text, headers } = await app.guest.get(preview ?? `${await pathOfMail()}/html`)
      expect(status).toBe(200)
      expect(text).toContain('<head><base target="_top">')
      expect(text).not.toContain('<script')
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; form-action 'none'; " +
          'sandbox allow-top-navigation-by-user-activation allow-popups',
      )
    },
  )

  it.each([
    '/inbox/x',
    '/inbox/..%2f..%2fetc',
    '/inbox/%00',
    '/inbox/previews/other',
    '/inbox/x/html',
    '/sent/x',
  ])('returns 404 for %s', async (path) => {
    expect((await app.guest.get(path)).status).toBe(404)
  })

  it('shows no mails of a server, and not its password', async () => {
    const { status, text } = await app.guest.get('/sent')
    expect(status).toBe(200)
    expect(text).toContain('smtp://mail.example.org:587')
    expect(text).not.toMatch(/hunter2|alice@/)
  })

  it('uses the guard that it was created with', async () => {
    for (const path of [
      '/private',
      '/private/x',
      '/private/previews/welcome',
      '/private/previews/welcome/html',
    ])
      expect((await app.guest.get(path)).status).toBe(303)
  })
})
