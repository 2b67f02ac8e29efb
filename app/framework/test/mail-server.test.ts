import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { sql } from 'kysely'
import { publicRoute, routes, withDatabase } from 'pergola'
import { failedJobs, prepareJobs, waitingJobs } from 'pergola/jobs'
import { closeMail, mailServerProblem, type MailSettings, send, sendMail, useMail } from 'pergola/mail'
import { tcpProxy } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import type { SMTPServerOptions } from 'smtp-server'
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startJobs } from './fixtures/job-worker.ts'
import { mailServer, reply } from './fixtures/mail-server.ts'
import { testApp } from './fixtures/test-app.ts'
import { mailSettings, welcome } from './fixtures/welcome.ts'

const { db } = await testDatabase()
await prepareJobs(db, [sendMail])
/** The same job, with retries that a test can wait for. */
const impatient = { ...sendMail, backoff: 1 }
const here = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const failed = () => here(() => failedJobs())
const waiting = () => here(() => waitingJobs())

beforeEach(async () => {
  await sql`delete from pgboss.job`.execute(db)
})
afterAll(closeMail)

/** Sends mails to the server at this URL, and starts a worker. */
async function worker(url: string, settings: Partial<MailSettings> = {}) {
  useMail(db, mailSettings({ url, ...settings }))
  onTestFinished(closeMail)
  return startJobs(db, [impatient])
}

const sendWelcome = (to = 'alice@example.org', name = 'Alice') =>
  here(() => send(welcome, { to, data: { ...welcome.example, name } }))

/** Replaces the steps of a server until it was asked so many times. */
function failing(times: number, error: Error) {
  let count = 0
  return {
    count: () => count,
    next: () => (++count <= times ? error : null),
  }
}

describe('a mail server', () => {
  it('receives each mail once, in both forms, with a stable Message-ID', async () => {
    const server = await mailServer()
    await worker(server.url)
    const ids = ['alice', 'bob', 'carol']
    for (const id of ids) await sendWelcome(`${id}@example.org`, 'Ärger')
    await expect.poll(() => server.received.length).toBe(3)
    expect(server.received.flatMap(({ to }) => to).toSorted()).toEqual(ids.map((id) => `${id}@example.org`))
    const [first] = server.received
    expect(first?.from).toBe('no-reply@example.org')
    const source = first?.source ?? ''
    expect(source).toMatch(/^From: Fixture <no-reply@example.org>\r\n/m)
    expect(source).toMatch(/^To: (?:alice|bob|carol)@example.org\r\n/m)
    expect(source).toMatch(/^Subject: =\?UTF-8\?Q\?Welcome=2C_=C3=84rger\?=\r\n/m)
    expect(source).toMatch(/^Message-ID: <[0-9a-f-]{36}@example.org>\r\n/m)
    expect(source).toMatch(/^Auto-Submitted: auto-generated\r\n/m)
    expect(source).toContain('Content-Type: text/plain')
    expect(source).toContain('Content-Type: text/html')
  })

  it('on this machine may require STARTTLS, with a self-signed certificate', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const server = await mailServer({
      disabledCommands: [],
      onMailFrom: (_address, { secure }, callback) =>
        callback(secure ? null : reply(530, 'Must issue a STARTTLS command first')),
    })
    await worker(server.url)
    await sendWelcome()
    await expect.poll(() => server.received.length).toBe(1)
  })

  it('on this machine may announce STARTTLS and refuse it', async () => {
    const said: string[] = []
    const answers: Record<string, string> = {
      EHLO: '250-test\r\n250 STARTTLS',
      STARTTLS: '454 not available',
      DATA: '354 go on',
      QUIT: '221 bye',
    }
    const refusing = createServer((socket) => {
      socket.write('220 test\r\n')
      let isData = false
      socket.on('data', (chunk) => {
        const [command = ''] = chunk.toString().split(/[\s]/)
        if (isData && !chunk.toString().endsWith('\r\n.\r\n')) return
        said.push(isData ? 'mail' : command)
        socket.write(`${isData ? '250 stored' : (answers[command] ?? '250 fine')}\r\n`)
        isData = command === 'DATA' && !isData
      })
    })
    await worker(await portOf(refusing))
    await sendWelcome()
    await expect.poll(() => said).toContain('mail')
    expect(said).toContain('STARTTLS')
  })

  it('keeps connections open for further mails, and closes them with the worker', async () => {
    let connections = 0
    const server = await mailServer({ onConnect: (_session, callback) => (connections++, callback()) })
    await worker(server.url)
    for (let n = 1; n <= 4; n++) {
      await sendWelcome()
      await expect.poll(() => server.received.length).toBe(n)
    }
    expect(connections).toBe(1)
  })

  it('gets a new connection after an idle one was closed', async () => {
    let closed = 0
    const server = await mailServer({ onClose: () => void closed++ })
    await worker(server.url, { timeout: 1_000 })
    for (let n = 1; n <= 2; n++) {
      await sendWelcome()
      await expect.poll(() => server.received.length).toBe(n)
      await expect.poll(() => closed).toBe(n)
    }
  })

  it('that is down loses no mail', async () => {
    const down = await mailServer()
    await down.close()
    const { lines } = await worker(down.url)
    await sendWelcome()
    await expect.poll(() => lines.filter(({ level }) => level === 'warn').length).toBeGreaterThan(1)
    expect(lines[0]?.fields.err?.message).toMatch(
      /^The mail server 127.0.0.1:\d+ could not be used: connect ECONN/,
    )
    const server = await mailServer()
    useMail(db, mailSettings({ url: server.url }))
    await expect.poll(() => server.received.length, { timeout: 60_000 }).toBe(1)
  })

  it.each<[string, (next: () => Error | null) => SMTPServerOptions]>([
    ['the recipient', (next) => ({ onRcptTo: (_address, _session, callback) => callback(next()) })],
    [
      'the content',
      (next) => ({
        onData(stream, _session, callback) {
          stream.resume().on('end', () => callback(next()))
        },
      }),
    ],
  ])('that rejects %s for now gets the mail again', async (_, behaviour) => {
    const rejects = failing(1, reply(450, '4.2.1 <alice@example.org> is busy'))
    const server = await mailServer(behaviour(rejects.next))
    const { lines } = await worker(server.url)
    await sendWelcome()
    await expect.poll(rejects.count).toBe(2)
    await expect.poll(waiting).toEqual([])
    expect(await failed()).toEqual([])
    const [first] = lines.filter(({ level }) => level === 'warn')
    expect(first?.fields.err?.message).toContain('450 4.2.1 <(address)> is busy')
  })

  it('that has reached its daily limit gets the mail again', async () => {
    const rejects = failing(1, reply(550, '5.4.5 Daily sending limit exceeded'))
    const server = await mailServer({ onRcptTo: (_address, _session, callback) => callback(rejects.next()) })
    await worker(server.url)
    await sendWelcome()
    await expect.poll(() => server.received.length).toBe(1)
    expect(await failed()).toEqual([])
  })

  it('that rejects the recipient for good gets the mail once: it is a dead letter without the address', async () => {
    const rejects = failing(9, reply(550, '5.1.1 <alice@example.org>: no such user alice'))
    const server = await mailServer({ onRcptTo: (_address, _session, callback) => callback(rejects.next()) })
    const { lines } = await worker(server.url)
    await sendWelcome()
    await expect.poll(failed).toMatchObject([{ name: 'send-mail', args: { mail: 'welcome' }, attempts: 1 }])
    const [dead] = await failed()
    expect(dead?.error).toMatch(
      /^The mail server 127.0.0.1:\d+ rejected the mail: .*550.*5.1.1 <\(address\)>: no such user \(name\)/,
    )
    expect(JSON.stringify(await sql`select * from pgboss.job`.execute(db))).not.toContain('alice')
    expect(lines.map(({ fields, message }) => `${message} ${fields.err?.stack}`).join()).not.toContain(
      'alice',
    )
    expect(rejects.count()).toBe(1)
  })

  it('that loses the connection in the middle of a mail gets it again, with the same Message-ID', async () => {
    const ids: string[] = []
    const server = await mailServer({
      onData(stream, _session, callback) {
        void text(stream).then((source) => {
          ids.push(/^Message-ID: (.*)$/m.exec(source)?.[1] ?? '')
          if (ids.length > 1) return callback()
          network.cut()
          network.heal()
        })
      },
    })
    const network = await tcpProxy(server.url)
    const { lines } = await worker(network.through(server.url))
    await sendWelcome()
    await expect.poll(() => ids.length).toBe(2)
    expect(ids[1]).toBe(ids[0])
    await expect.poll(waiting).toEqual([])
    expect(await failed()).toEqual([])
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
  })

  it('that does not answer fails the attempt after the timeout', async () => {
    const silent = createServer(() => {})
    const { lines } = await worker(await portOf(silent), { timeout: 200 })
    await sendWelcome()
    await expect.poll(() => lines.filter(({ level }) => level === 'warn').length).toBeGreaterThan(0)
    expect(lines.find(({ level }) => level === 'warn')?.fields.err?.message).toMatch(
      /Greeting never received|Timeout/,
    )
    expect(await failed()).toEqual([])
  })
})

async function portOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A certificate for localhost, or null if this machine has no openssl. */
const certificate = selfSigned()

function selfSigned(): { key: string; cert: string } | null {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-certificate-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')] as const
  const kind = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ]
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  try {
    execFileSync('openssl', [...kind, ...name, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } catch {
    return null
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns a URL by which the server is not on this machine. */
const asRemote = (url: string) => url.replace('127.0.0.1', '0.0.0.0')
const problemOf = (url: string, settings: Partial<MailSettings> = {}) =>
  mailServerProblem(mailSettings({ url, ...settings }))

describe('mailServerProblem', () => {
  it('is null for a server that accepts the connection, and for other destinations', async () => {
    expect(await problemOf((await mailServer()).url)).toBeNull()
    expect(await problemOf('memory:')).toBeNull()
  })

  it('names a server without STARTTLS, to which no mail is sent in clear text', async () => {
    const commands: string[] = []
    const server = await mailServer({
      onAuth: (_auth, _session, callback) => (commands.push('AUTH'), callback(null, { user: 'user' })),
    })
    const url = asRemote(server.url).replace('//', '//user:hunter2@')
    expect(await problemOf(url)).toMatch(
      /offers no encryption with STARTTLS: .* Try smtps:\/\/ in MAIL__URL\.$/,
    )
    expect(commands).toEqual([])
  })

  it.each([
    ['STARTTLS', { disabledCommands: [] }],
    ['smtps', { secure: true }],
  ])('names a certificate that no authority signed: %s', async (_, options) => {
    // The server warns of its own certificate, which is public.
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const server = await mailServer(options)
    expect(await problemOf(asRemote(server.url))).toMatch(
      /has no valid certificate: .*Set the name of its certificate in MAIL__URL, or its authority in NODE_EXTRA_CA_CERTS\.$/,
    )
  })

  it.skipIf(certificate === null)('verifies the certificate and its name', async () => {
    const trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, certificate?.cert ?? ''])
    onTestFinished(() => setDefaultCACertificates(trusted))
    const encrypted = await mailServer({ ...certificate, secure: true })
    const upgraded = await mailServer({ ...certificate, disabledCommands: [] })
    expect(await problemOf(encrypted.url.replace('127.0.0.1', 'localhost'))).toBeNull()
    await worker(encrypted.url.replace('127.0.0.1', 'localhost'))
    await sendWelcome()
    await expect.poll(() => encrypted.received.length).toBe(1)
    for (const { url } of [encrypted, upgraded])
      expect(await problemOf(asRemote(url))).toContain('has no valid certificate: Hostname/IP does not match')
  })

  it('names a rejected password, without it', async () => {
    const server = await mailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, callback) => callback(reply(535, 'wrong password for user@example.org')),
    })
    const problem = await problemOf(server.url.replace('//', '//user%40example.org:hunter2@'))
    expect(problem).toMatch(/rejected the user name or the password of MAIL__URL: .*535/)
    expect(problem).not.toMatch(/hunter2|user@example/)
  })
})

describe('a request that sends a mail', () => {
  const greetings = routes('/greetings', {
    'POST /plain': [publicRoute(), async (_req, res) => void res.end()],
    'POST /mail': [
      publicRoute(),
      async (_req, res) => {
        await send(welcome, { to: 'alice@example.org', data: welcome.example })
        res.end()
      },
    ],
  })

  it('takes a small multiple of one that does not, while the mail server is silent', async () => {
    const app = await testApp({ tables: [greetings], database: { db, url: '', statements: [] } })
    await worker(await portOf(createServer(() => {})))
    const medianOf = async (path: string) => {
      const times: number[] = []
      for (let n = 0; n < 30; n++) {
        const start = performance.now()
        expect((await app.guest.post(path, { form: {} })).status).toBe(200)
        times.push(performance.now() - start)
      }
      return times.toSorted((one, other) => one - other)[15] ?? Infinity
    }
    await medianOf('/greetings/mail')
    // An attempt to deliver takes 30 seconds, thousands of times longer.
    expect((await medianOf('/greetings/mail')) / (await medianOf('/greetings/plain'))).toBeLessThan(30)
  })
})
