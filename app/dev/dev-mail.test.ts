import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { mail, send, useMail } from 'pergola/mail'
import { z } from 'zod'
import { readConfig } from '#app/config.ts'
import { mailSettings } from '#app/mails/mail-settings.ts'
import { testApp } from '#app/test/test-app.ts'

const folder = await mkdtemp(join(tmpdir(), 'pergola-mail-'))
afterAll(() => rmSync(folder, { recursive: true }))
const url = pathToFileURL(folder).href
const app = await testApp({ env: { NODE_ENV: 'development', MAIL__URL: url } })
const withServer = await testApp({
  database: app.database,
  env: { NODE_ENV: 'development', MAIL__URL: 'smtp://127.0.0.1:1', MAIL__FROM: 'no-reply@example.org' },
})
const production = await testApp({ database: app.database })

const hello = mail('hello', {
  data: z.object({ link: z.url() }),
  subject: () => 'Hello & welcome',
  example: { link: 'https://example.org/begin?a=1&b=2' },
})
const HTML = `<% layout('/mails/_layout') %>
<%~ include('/mails/_button', { href: it.link, label: 'Begin' }) %>
`

describe('/_dev/mail', () => {
  it('exists only in development, and begins empty', async () => {
    expect((await app.guest.get('/_dev/mail')).text).toContain('No mail was sent yet.')
    for (const path of ['/_dev/mail', '/_dev/mail/previews/hello'])
      expect((await production.guest.get(path)).status).toBe(404)
  })

  it('names the mail server, if one is configured, in place of the inbox', async () => {
    const { text } = await withServer.guest.get('/_dev/mail')
    expect(text).toContain('Mails are sent to <code>smtp://127.0.0.1:1</code>')
    expect(text).not.toContain('No mail was sent yet.')
    expect(text).toContain('/_dev/mail/previews/password-reset')
  })

  it('shows a mail that was sent, with its links', async () => {
    const settings = mailSettings(readConfig({ NODE_ENV: 'development', MAIL__URL: url }))
    const views = join(folder, 'views')
    cpSync(settings.views, views, { recursive: true })
    writeFileSync(join(views, 'mails/hello.eta'), HTML)
    writeFileSync(join(views, 'mails/hello.text.eta'), 'Begin: <%= it.link %>')
    useMail(app.db, { ...settings, mails: [hello], views })
    await app.within(() => send(hello, { to: 'alice@example.test', data: hello.example }))
    await app.runJobs()
    const { text } = await app.guest.get('/_dev/mail')
    expect(text).toContain('Hello &amp; welcome</a>')
    expect(text).toContain('alice@example.test')
    const [, path = ''] = /href="(\/_dev\/mail\/[0-9a-f-]{36})"/.exec(text) ?? []
    const page = await app.guest.get(path)
    expect(page.text).toContain('<a href="https://example.org/begin?a=1&amp;b=2">')
    expect(page.text).toContain('Message-ID: ')
    const html = await app.guest.get(`${path}/html`)
    expect(html.text).toContain('class="button" href="https://example.org/begin?a=1&amp;b=2"')
  })
})

describe('/check-mail', () => {
  it('links to the inbox only if it receives the mails', async () => {
    const linksToInbox = async ({ guest }: typeof app) =>
      (await guest.get('/check-mail')).text.includes('href="/_dev/mail"')
    expect(await linksToInbox(app)).toBe(true)
    expect([await linksToInbox(withServer), await linksToInbox(production)]).toEqual([false, false])
  })
})
