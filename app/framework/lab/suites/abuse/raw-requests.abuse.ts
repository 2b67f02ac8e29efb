import { setTimeout as sleep } from 'node:timers/promises'
import { leaksIn, rawConnection, recordFigures } from 'pergola/lab'
import { TestClient } from 'pergola/testing'
import { describe, expect, it, type TestContext } from 'vitest'
import { abuseBed } from './abuse-bed.ts'
import { DEMO_PASSWORD } from '../application.ts'

const { server, startServer, insider, secrets } = await abuseBed()
const { host } = new URL(server.url)

const HOST = `Host: ${host}\r\n`
const CLOSE = 'Connection: close\r\n'
const SMUGGLED = `GET /livez HTTP/1.1\r\n${HOST}\r\n`
const CHUNKS = `0\r\n\r\n${SMUGGLED}`
const post = (headers: string, body = SMUGGLED) =>
  `POST /login HTTP/1.1\r\n${HOST}${CLOSE}${headers}\r\n${body}`
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\n${HOST}${CLOSE}${headers}\r\n`

/** Requests whose end a proxy and the server may place differently. */
const UNCLEAR_LENGTHS = {
  'a length and chunks': post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', CHUNKS),
  'chunks and a length': post('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', CHUNKS),
  'two lengths': post('Content-Length: 0\r\nContent-Length: 5\r\n'),
  'two equal lengths': post('Content-Length: 0\r\nContent-Length: 0\r\n'),
  'a list of lengths': post('Content-Length: 0, 5\r\n'),
  'a length with a sign': post('Content-Length: +5\r\n'),
  'a negative length': post('Content-Length: -5\r\n'),
  'a hexadecimal length': post('Content-Length: 0x5\r\n'),
  'an unknown transfer encoding': post('Transfer-Encoding: xchunked\r\n'),
  'a compressed transfer encoding': post('Transfer-Encoding: gzip\r\n'),
  'chunks that are not the last encoding': post('Transfer-Encoding: chunked, identity\r\n'),
  'two transfer encodings': post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n'),
  'a space before the colon': post('Transfer-Encoding : chunked\r\n', CHUNKS),
  'a folded header': post('Transfer-Encoding:\r\n chunked\r\nX: 1\r\n y\r\n', CHUNKS),
  'a chunk of an invalid size': post('Transfer-Encoding: chunked\r\n', `fffffffffffffffff\r\n${SMUGGLED}`),
  'a chunk that ends with a bare LF': post('Transfer-Encoding: chunked\r\n', `0\n\n${SMUGGLED}`),
  'lines that end with a bare LF': `POST /login HTTP/1.1\nHost: ${host}\nContent-Length: 0\n\n${SMUGGLED}`,
  'lines that end with a bare CR': `POST /login HTTP/1.1\rHost: ${host}\r\r${SMUGGLED}`,
}

const OTHER_HOSTS = {
  'another host': `GET /login HTTP/1.1\r\nHost: evil.example\r\n${CLOSE}\r\n`,
  'two hosts': get('/login', 'Host: evil.example\r\n'),
  'no host': `GET /login HTTP/1.1\r\n${CLOSE}\r\n`,
  'no host in HTTP/1.0': 'GET /login HTTP/1.0\r\n\r\n',
  'an empty host': `GET /login HTTP/1.1\r\nHost:\r\n${CLOSE}\r\n`,
  'a user in the host': `GET /login HTTP/1.1\r\nHost: ${host}@evil.example\r\n${CLOSE}\r\n`,
  'another port': `GET /login HTTP/1.1\r\nHost: 127.0.0.1:1\r\n${CLOSE}\r\n`,
  'an absolute target': get('http://evil.example/login'),
  'an absolute target of this host': get(`http://${host}/login`),
}

const MALFORMED = {
  'an unknown method': `FOO /login HTTP/1.1\r\n${HOST}${CLOSE}\r\n`,
  TRACE: `TRACE /login HTTP/1.1\r\n${HOST}${CLOSE}Cookie: evil=1\r\n\r\n`,
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'HTTP/0.9': 'GET /login\r\n\r\n',
  'a header without a colon': get('/login', 'evil\r\n'),
  'a NUL in a header': get('/login', 'X-Evil: a\0b\r\n'),
  '101 headers': get('/login', 'X-Many: 1\r\n'.repeat(101)),
  'a header of 17 kB': get('/login', `X-Long: ${'a'.repeat(17_000)}\r\n`),
  'a cookie of 17 kB': get('/login', `Cookie: sid=${'a'.repeat(17_000)}\r\n`),
  'a URL of 17 kB': get(`/login?q=${'a'.repeat(17_000)}`),
  'a NUL in the path': get('/login\0'),
  'a fragment': get('/login#x'),
  'a no-break space in the path': get('/login\xa0'),
  'a backslash in the path': get('/login\\#x'),
  'bytes that are not UTF-8 in the path': get('/\xff\xfe'),
  'an invalid escape in the path': get('/%E0%A4%A'),
}

const PATHS = [
  '/../package.json',
  '/assets/../package.json',
  '/assets/x/../../package.json',
  '/assets/x/..%2f..%2fpackage.json',
  '/assets/x/..%5c..%5cpackage.json',
  '/assets/x/%2e%2e%2f%2e%2e%2fpackage.json',
  '/assets/x/..%252f..%252fpackage.json',
  '/assets/%2e%2e/package.json',
  '/assets/x/app.css%00.png',
  '/assets/x//etc/passwd',
  '/assets//etc/passwd',
  '/assets/x/__proto__',
  '/.env',
  '/.git/config',
  '/app/server.ts',
]

describe('the server', () => {
  it('refuses requests of an unclear length', (test) => expectRefusals(test, UNCLEAR_LENGTHS))

  it('refuses requests of other hosts', (test) => expectRefusals(test, OTHER_HOSTS))

  it('refuses malformed requests', (test) => expectRefusals(test, MALFORMED))

  it('refuses paths outside of the assets', (test) =>
    expectRefusals(test, Object.fromEntries(PATHS.map((path) => [path, get(path)]))))

  it('closes the connection of a CONNECT', async () => {
    expect(await send(`CONNECT evil.example:443 HTTP/1.1\r\n${HOST}${CLOSE}\r\n`)).toBe('')
  })

  it('ignores X-Forwarded-Host', async () => {
    const text = await send(
      get('/login', 'X-Forwarded-Host: evil.example\r\nForwarded: host=evil.example\r\n'),
    )
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).not.toContain('evil')
  })

  it('logs a path of 15 kB in a short line, with the address of the client', async () => {
    const logging = await startServer({ SERVER__LOG_LEVEL: 'info' })
    const { host } = new URL(logging.url)
    const path = `/${'a'.repeat(15_000)}`
    const { socket } = await rawConnection(logging.url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    const lines = () => logging.output().split('\n')
    await expect.poll(lines).toContainEqual(expect.stringContaining('"request completed"'))
    socket.destroy()
    expect(Math.max(...lines().map(({ length }) => length))).toBeLessThan(1_000)
    expect(logging.output()).toContain('"address":"127.0.0.1"')
  })

  it('logs the id of the signed-in user', async () => {
    const logging = await startServer({ SERVER__LOG_LEVEL: 'info' })
    const client = new TestClient(logging.url)
    expect(
      (await client.post('/login', { form: { email: insider.email, password: DEMO_PASSWORD } })).status,
    ).toBe(303)
    expect((await client.get('/account')).status).toBe(200)
    await expect.poll(() => logging.output()).toContain(`"user":${insider.id},`)
  })

  it.for(['h2c', 'websocket'])('upgrades no connection to %s', async (protocol) => {
    const headers = `${HOST}Connection: Upgrade, close\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABkAAQ\r\n`
    expect(await send(`GET /login HTTP/1.1\r\n${headers}\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

/** Expects for each request exactly one response, with a status from 400 to 499, 501 or 505, that reveals nothing. */
async function expectRefusals(test: TestContext, requests: Readonly<Record<string, string>>): Promise<void> {
  const problems: string[] = []
  for (const [name, text] of Object.entries(requests)) {
    const received = await send(text)
    const statuses = [...received.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status = '']) => status)
    if (statuses.length !== 1 || !/^(?:4..|501|505)$/.test(statuses[0] ?? ''))
      problems.push(`${name}: ${received.slice(0, 300)}`)
    for (const leak of leaksIn(received, [...secrets, 'evil', '"dependencies"', 'root:']))
      problems.push(`${name}: ${leak}`)
  }
  recordFigures(test, { requests: Object.keys(requests).length, failed: problems.length })
  expect(problems).toEqual([])
  expect(server.isRunning(), `the output: ${server.output()}`).toBe(true)
}

/** Returns everything that the server sends until it closes the connection. */
async function send(text: string): Promise<string> {
  const { socket, received, closed } = await rawConnection(server.url, text)
  // The server closes the connection of an unfinished body after fifteen seconds.
  await Promise.race([closed, sleep(30_000, undefined, { ref: false })])
  socket.destroy()
  return received()
}
