import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { inTransaction, withDatabase } from 'pergola'
import { failedJobs, prepareJobs, retryJobs, waitingJobs } from 'pergola/jobs'
import { checkMails, mail, send, sendMail, useMail } from 'pergola/mail'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { startJobs } from './fixtures/job-worker.ts'
import { testApp } from './fixtures/test-app.ts'
import { mailSettings, SECRET, welcome } from './fixtures/welcome.ts'

const app = await testApp()
await prepareJobs(app.db, [sendMail])
const data = welcome.example

/** Enqueues the mail `welcome`. */
const sendWelcome = (to: Parameters<typeof send>[1]['to'] = 'alice@example.org') =>
  app.within(() => send(welcome, { to, data }))

const queue = async () =>
  (await sql<{ row: string }>`select row_to_json(job)::text as row from pgboss.job`.execute(app.db)).rows

const folder = await mkdtemp(join(tmpdir(), 'pergola-mail-'))
afterAll(() => rmSync(folder, { recursive: true }))

beforeEach(async () => {
  useMail(app.db, mailSettings())
  await sql`delete from pgboss.job`.execute(app.db)
  await app.mails()
})

describe('send', () => {
  it('enqueues one mail, which is rendered and delivered once', async () => {
    await sendWelcome()
    expect(await app.mails()).toEqual([
      {
        name: 'welcome',
        to: 'alice@example.org',
        subject: 'Welcome, Alice',
        html: expect.stringContaining('<a href="https://example.org/begin?token=4f1c">Begin</a>') as string,
        text: 'Welcome, Alice.\nBegin: https://example.org/begin?token=4f1c\n\nUntil soon\n',
        data,
      },
    ])
    expect(await app.mails()).toEqual([])
  })

  it('escapes data in HTML, and not in text', async () => {
    const name = `<b>"Ärger" & Co</b>`
    await app.within(() => send(welcome, { to: 'alice@example.org', data: { ...data, name } }))
    const [sent] = await app.mails()
    expect(sent?.html).toContain('Welcome, &lt;b&gt;&quot;Ärger&quot; &amp; Co&lt;/b&gt;.')
    expect(sent?.html).toContain('<title>Welcome, &lt;b&gt;')
    expect(sent?.text).toContain(`Welcome, ${name}.`)
    expect(sent?.subject).toBe(`Welcome, ${name}`)
  })

  it('sends a mail of its own to each recipient', async () => {
    await sendWelcome(['alice@example.org', { name: 'Bob', address: 'bob@example.org' }])
    const recipients = (await app.mails()).map(({ to }) => to)
    expect(recipients.toSorted()).toEqual(['alice@example.org', 'bob@example.org'])
  })

  it('sends no mail if the transaction is rolled back', async () => {
    const transaction = app.within(() =>
      inTransaction(async () => {
        await send(welcome, { to: 'alice@example.org', data })
        await send(welcome, { to: ['bob@example.org', 'carol@example.org'], data })
        throw new Error('rolled back')
      }),
    )
    await expect(transaction).rejects.toThrow('rolled back')
    expect(await queue()).toEqual([])
    expect(await app.mails()).toEqual([])
  })

  it('enqueues all recipients or none', async () => {
    const to = ['alice@example.org', 'bob@example.org']
    await sql`create function refuse_second() returns trigger language plpgsql as
      'begin if (select count(*) from pgboss.job) > 1 then raise ''second mail''; end if; return null; end'`.execute(
      app.db,
    )
    await sql`create trigger second after insert on pgboss.job_common execute function refuse_second()`.execute(
      app.db,
    )
    await expect(sendWelcome(to)).rejects.toThrow('second mail')
    await sql`drop trigger second on pgboss.job_common`.execute(app.db)
    expect(await queue()).toEqual([])
  })

  it('delays a mail', async () => {
    await app.within(() => send(welcome, { to: 'alice@example.org', data }, { delay: '1 day' }))
    expect(await app.mails()).toEqual([])
    expect(await app.jobs()).toMatchObject([{ name: 'send-mail', args: { mail: 'welcome' } }])
  })

  it('delivers a mail before it expires, and discards it afterwards', async () => {
    const sendUntil = (expiresAt: Date) =>
      app.within(() => send(welcome, { to: 'alice@example.org', data }, { expiresAt }))
    await sendUntil(new Date(Date.now() + 3_600_000))
    expect(await app.mails()).toHaveLength(1)
    await sendUntil(new Date(Date.now() - 1))
    expect(await app.mails()).toEqual([])
    expect(await app.within(() => failedJobs())).toEqual([])
  })

  it('sends one mail per key, to a single recipient', async () => {
    const once = (to: string | string[]) =>
      app.within(() => send(welcome, { to, data }, { key: 'welcome 7' }))
    await once('alice@example.org')
    await once('alice@example.org')
    expect(await app.mails()).toHaveLength(1)
    await expect(once(['alice@example.org', 'bob@example.org'])).rejects.toThrow(
      'A key needs a single recipient.',
    )
  })

  it('sends each mail once per key', async () => {
    const goodbye = { ...welcome, name: 'goodbye' }
    useMail(app.db, mailSettings({ mails: [welcome, goodbye] }))
    for (const each of [welcome, goodbye, goodbye])
      await app.within(() => send(each, { to: 'alice@example.org', data }, { key: '7' }))
    const names = (await app.within(() => waitingJobs())).map(({ args }) => args)
    expect(names).toHaveLength(2)
    expect(names).toEqual(expect.arrayContaining([{ mail: 'welcome' }, { mail: 'goodbye' }]))
  })

  it.each([
    [
      'a line break in the subject',
      { ...data, name: 'Alice\r\nBcc: eve@example.org' },
      'The subject of welcome contains',
    ],
    ['a long subject', { ...data, name: 'A'.repeat(300) }, 'The subject of welcome has 309 characters.'],
    ['invalid data', { ...data, link: 'begin?token=4f1c' }, 'Invalid data for welcome: link: Invalid URL.'],
    ['missing data', { name: 'Alice' } as typeof data, 'Invalid data for welcome: link: Invalid input'],
    [
      'large data',
      { ...data, link: `https://a/${'a'.repeat(100_000)}` },
      'Pass up to 100000: an address instead',
    ],
  ])('rejects %s, without repeating it', async (_, data, message) => {
    const call = app.within(() => send(welcome, { to: 'alice@example.org', data }))
    await expect(call).rejects.toThrow(message)
    await expect(call).rejects.not.toThrow(/4f1c|eve@|alice@/)
    expect(await queue()).toEqual([])
  })

  it('rejects a mail that is not listed, and a database without settings', async () => {
    const other = mail('other', { data: z.object({}), subject: () => 'Other', example: {} })
    await expect(app.within(() => send(other, { to: 'alice@example.org', data: {} }))).rejects.toThrow(
      'This application does not send the mail other. List it in app/mails/mails.ts',
    )
    const copy = app.db.withoutPlugins()
    await expect(withDatabase(copy, () => send(welcome, { to: 'alice@example.org', data }))).rejects.toThrow(
      'Call useMail(db, …) first.',
    )
  })
})

describe('a process that sends', () => {
  it('loads neither nodemailer nor the code that delivers', async () => {
    const child = [join(import.meta.dirname, 'fixtures/send-in-child.ts'), app.database.url]
    const { stdout } = await promisify(execFile)(process.execPath, child)
    const loaded = JSON.parse(stdout) as string[]
    expect(loaded.filter((file) => file.includes('/node_modules/pg-boss/'))).not.toEqual([])
    expect(
      loaded.filter((file) => /nodemailer|\/src\/mail\/(?:deliver|render|smtp|compose)/.test(file)),
    ).toEqual([expect.stringMatching(/\/delivery\.ts$/)])
    expect(await app.mails()).toHaveLength(1)
  })
})

describe('a mail in the queue', () => {
  it('shows its name, and neither recipients nor data', async () => {
    await sendWelcome({ name: 'Alice Smith', address: 'alice@example.org' })
    const [stored] = await queue()
    expect(stored?.row).toContain('"mail": "welcome"')
    for (const secret of ['alice', 'Alice', 'Smith', '4f1c', 'example.org'])
      expect(stored?.row).not.toContain(secret)
    const [listed] = await app.within(() => waitingJobs())
    expect(listed?.args).toEqual({ mail: 'welcome' })
  })

  it('is delivered after the secret was replaced, while the old one is listed', async () => {
    const recent = 'a recent secret of more than 32 characters'
    await sendWelcome()
    useMail(app.db, mailSettings({ secrets: () => [recent, SECRET] }))
    expect(await app.mails()).toHaveLength(1)
  })

  it('becomes a dead letter if no secret decrypts it, and can run again with the old secret', async () => {
    await sendWelcome()
    useMail(app.db, mailSettings({ secrets: () => ['a recent secret of more than 32 characters'] }))
    const { lines } = await startJobs(app.db, [sendMail])
    const failed = () => app.within(() => failedJobs())
    await expect.poll(failed).toMatchObject([{ args: { mail: 'welcome' }, attempts: 1 }])
    const [dead] = await failed()
    const id = dead?.id ?? ''
    expect(dead?.error).toBe(
      `No secret decrypts this mail. Add the former one to SESSION__SECRET, after a comma, then run npx cli jobs retry ${id}`,
    )
    expect(lines.at(-1)).toMatchObject({ level: 'error', fields: { job: 'send-mail', id } })
    useMail(app.db, mailSettings())
    expect(await app.within(() => retryJobs({ ids: [id] }))).toBe(1)
    await expect.poll(() => app.mails()).toHaveLength(1)
  })
})

describe('sendMail', () => {
  it('fails without a mail server', async () => {
    useMail(app.db, mailSettings({ url: null }))
    await sendWelcome()
    await expect(app.mails()).rejects.toThrow('No mail server is configured. Set MAIL__URL')
  })

  it('names the setting of an invalid sender, not the mail server', async () => {
    useMail(app.db, mailSettings({ url: 'smtp://127.0.0.1:1', from: 'x@my_host.org' }))
    await sendWelcome()
    await expect(app.mails()).rejects.toThrow(/^The sender of mails is not an address. Set MAIL__FROM/)
  })

  it('retries a mail that this version does not know', async () => {
    await sendWelcome()
    useMail(app.db, mailSettings({ mails: [] }))
    await expect(app.mails()).rejects.toThrow('does not send the mail welcome.')
    expect(await app.jobs()).toHaveLength(1)
  })

  it('stores mails in a folder, up to 200, which only its owner can read', async () => {
    const inbox = join(folder, 'inbox')
    await mkdir(inbox)
    for (let n = 100; n < 300; n++) writeFileSync(join(inbox, `2020-01-01T00-00-00.${n}Z_x.json`), '{}')
    useMail(
      app.db,
      mailSettings({ url: pathToFileURL(inbox).href, inboxUrl: 'http://localhost:3000/_dev/mail' }),
    )
    const { lines } = await startJobs(app.db, [sendMail])
    await sendWelcome()
    await expect
      .poll(() => lines.map(({ message }) => message))
      .toContainEqual(
        expect.stringMatching(
          /^Mail “Welcome, Alice” to alice@example.org: http:\/\/localhost:3000\/_dev\/mail\/[\w-]+$/,
        ),
      )
    const files = await readdir(inbox)
    expect(files.filter((file) => file.endsWith('.json'))).toHaveLength(200)
    expect(files.filter((file) => file.endsWith('.eml'))).toHaveLength(1)
    expect(files).not.toContain('2020-01-01T00-00-00.100Z_x.json')
  })
})

describe('checkMails', () => {
  const broken = join(folder, 'broken')
  const views = async (files: Readonly<Record<string, string>>) => {
    await mkdir(join(broken, 'mails'), { recursive: true })
    for (const [file, source] of Object.entries(files)) writeFileSync(join(broken, 'mails', file), source)
    return mailSettings({ views: broken })
  }

  it('accepts mails that can be rendered from their examples', async () => {
    await expect(checkMails(mailSettings())).resolves.toBeUndefined()
  })

  it('names a missing template, and one with an error', async () => {
    await expect(checkMails(await views({ 'welcome.eta': '<p>Hi</p>' }))).rejects.toThrow(
      'The mail welcome needs the template views/mails/welcome.text.eta, which does not exist.',
    )
    await expect(checkMails(await views({ 'welcome.text.eta': '<%= it.a.b %>' }))).rejects.toThrow(
      `views/mails/welcome.text.eta, or a view it includes: Cannot read properties of undefined (reading 'b')`,
    )
    await expect(checkMails(await views({ 'welcome.eta': '<% if %>' }))).rejects.toThrow(
      'views/mails/welcome.eta',
    )
  })

  it('names a mail whose example is invalid', async () => {
    const wrong = { ...welcome, example: { ...data, link: 'begin' } }
    await expect(checkMails(mailSettings({ mails: [wrong] }))).rejects.toThrow(
      'Invalid data for welcome: link: Invalid URL.',
    )
  })
})
