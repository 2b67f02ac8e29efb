import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Handler, publicRoute, repository, routes, Unavailable } from 'pergola'
import { createLeaves, Leaf, leafPolicy, leafScope } from './fixtures/leaf.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'

const LONG = 'The same sentence again. '.repeat(200)

const send =
  (headers: Record<string, string>, body = LONG): Handler =>
  (_req, res) =>
    void res.set(headers).type('text').send(body)

/** Continues the responses to GET /texts/pieces. */
const pieces = Promise.withResolvers<void>()
const inPieces: Handler = async (_req, res) => {
  res.type('text').write(LONG)
  await pieces.promise
  res.end(LONG)
}

const textRoutes = routes('/texts', {
  'GET /plain': [publicRoute(), send({})],
  'GET /short': [publicRoute(), send({}, 'x'.repeat(1_023))],
  'GET /vary': [publicRoute(), send({ Vary: 'Cookie' })],
  'GET /untouched': [publicRoute(), send({ 'Cache-Control': 'private, No-Transform' })],
  'GET /encoded': [publicRoute(), send({ 'Content-Encoding': 'x-custom' })],
  'GET /strong': [publicRoute(), send({ ETag: '"1"' })],
  'GET /weak': [publicRoute(), send({ ETag: 'W/"1"' })],
  'GET /image': [publicRoute(), (_req, res) => void res.type('png').send(Buffer.from(LONG))],
  'GET /bytes': [publicRoute(), (_req, res) => void res.type('text').send(new TextEncoder().encode(LONG))],
  'GET /empty': [publicRoute(), (_req, res) => void res.status(204).end()],
  'GET /pieces': [publicRoute(), inPieces],
  'GET /file': [publicRoute(), (_req, res) => res.sendFile(import.meta.filename)],
  'GET /down': [
    publicRoute(),
    () => {
      throw new Unavailable()
    },
  ],
})

const leaves = repository(Leaf, { api: '/api/leaves', policy: leafPolicy, scope: leafScope })
const app = await testApp({
  resources: [{ repository: leaves, routes: { textRoutes } }, { repository: users }],
})
const owner = await app.within(() => makeUser())
const client = await app.signInAs(owner.email)
const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')

beforeAll(() => createLeaves(app.db))

interface RawResponse {
  status: number | undefined
  headers: IncomingHttpHeaders
  /** As sent: `fetch` would decompress it. */
  bytes: Buffer
}

function open(path: string, headers: Record<string, string>, method = 'GET'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(app.url + path, { method, headers, agent: false }, resolve)
      .on('error', reject)
      .end()
  })
}

async function fetched(path: string, headers = {}, method?: string): Promise<RawResponse> {
  const response = await open(path, headers, method)
  const bytes = Buffer.concat(await response.toArray())
  return { status: response.statusCode, headers: response.headers, bytes }
}

const BR = { 'accept-encoding': 'br' }
/** Compresses short bodies too. */
const ONLY_BR = { 'accept-encoding': 'br, identity;q=0' }
const coding = ({ headers }: RawResponse) => headers['content-encoding']

function decoded(response: RawResponse): string {
  const decode = { br: brotliDecompressSync, gzip: gunzipSync }[coding(response) ?? '']
  return (decode?.(response.bytes) ?? response.bytes).toString()
}

describe('compression', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate, zstd, x-br', undefined],
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0.001', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['*', 'br'],
    ['*, br;q=0', 'gzip'],
    ['gzip, *;q=0', 'gzip'],
    ['*;q=0', undefined],
    ['identity;q=0', undefined],
    [',;q=,=;;', undefined],
  ])('answers Accept-Encoding: %s with the coding %s', async (accepted, expected) => {
    const response = await fetched(
      '/texts/plain',
      accepted === undefined ? {} : { 'accept-encoding': accepted },
    )
    expect(coding(response)).toBe(expected)
    expect(decoded(response)).toBe(LONG)
    expect(response.headers['content-length']).toBe(String(response.bytes.length))
    expect(response.headers.vary).toBe('Accept-Encoding')
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  it('compresses pages, for htmx too, and adds to their Vary', async () => {
    for (const headers of [ONLY_BR, { ...ONLY_BR, 'hx-request': 'true' }]) {
      const page = await fetched('/login', headers)
      expect(coding(page)).toBe('br')
      expect(decoded(page)).toContain('</html>')
      expect(page.headers.vary).toBe('Accept, HX-Request, HX-Source, Accept-Encoding')
    }
    expect((await fetched('/texts/vary', BR)).headers.vary).toBe('Cookie, Accept-Encoding')
  })

  it('compresses JSON, and bodies of bytes', async () => {
    for (const title of Array.from({ length: 20 }, (_, index) => `Leaf ${index}`))
      await app.within(() => leaves.asSystem('test').insert({ owner_id: owner.id, title }))
    const list = await fetched('/api/leaves', { ...BR, cookie })
    expect(coding(list)).toBe('br')
    expect(JSON.parse(decoded(list))).toMatchObject({ total_elements: 20 })
    const bytes = await fetched('/texts/bytes', BR)
    expect([coding(bytes), decoded(bytes)]).toEqual(['br', LONG])
  })

  it('compresses errors, the same for a denied record and a missing one', async () => {
    const page = await fetched('/none', ONLY_BR)
    expect([page.status, coding(page)]).toEqual([404, 'br'])
    expect(decoded(page)).toContain('Page not found')
    const down = await fetched('/texts/down', ONLY_BR)
    expect([down.status, coding(down), down.headers['retry-after']]).toEqual([503, 'br', '1'])

    const leaf = await app.within(() => leaves.asSystem('test').insert({ owner_id: owner.id, title: 'Old' }))
    const comparable = async (id: number) => {
      const answer = await fetched(`/api/leaves/${id}`, ONLY_BR)
      // The body contains the id of the request, which changes its compressed length.
      const { date: _date, 'x-request-id': requestId, 'content-length': _length, ...headers } = answer.headers
      const text = decoded(answer).replace(String(requestId), '')
      return { coding: coding(answer), status: answer.status, text, headers }
    }
    const [denied, missing] = [await comparable(leaf.id), await comparable(999_999)]
    expect([denied.status, denied.coding]).toEqual([404, 'br'])
    expect(denied).toEqual(missing)
  })

  it('answers HEAD with the headers of GET, except the length of a compressed body', async () => {
    for (const [path, headers] of [
      ['/texts/plain', BR],
      ['/texts/plain', {}],
      ['/texts/short', BR],
      ['/texts/strong', BR],
      ['/texts/file', BR],
      ['/login', BR],
    ] as const) {
      const [get, head] = [await fetched(path, headers), await fetched(path, headers, 'HEAD')]
      const fixed = ({ date: _date, 'x-request-id': _id, ...rest }: IncomingHttpHeaders) => rest
      const { 'content-length': length, ...rest } = fixed(get.headers)
      expect(fixed(head.headers)).toEqual(coding(get) === undefined ? fixed(get.headers) : rest)
      expect(length).toBe(String(get.bytes.length))
      expect(head.bytes.length).toBe(0)
    }
  })

  it('compresses less than 1 kB only for clients that refuse uncompressed bodies', async () => {
    const short = await fetched('/texts/short', BR)
    expect([coding(short), short.headers.vary]).toEqual([undefined, 'Accept-Encoding'])
    const required = await fetched('/texts/short', { 'accept-encoding': 'gzip, identity;q=0' })
    expect([coding(required), decoded(required)]).toEqual(['gzip', 'x'.repeat(1_023)])
  })

  it.each(['untouched', 'encoded', 'strong', 'image', 'empty'])(
    'leaves GET /texts/%s alone',
    async (name) => {
      const [plain, response] = [await fetched(`/texts/${name}`), await fetched(`/texts/${name}`, BR)]
      expect(coding(response)).toBe(name === 'encoded' ? 'x-custom' : undefined)
      expect(response.bytes).toEqual(plain.bytes)
      expect(response.headers.vary).toBeUndefined()
    },
  )

  it('sends each piece of a streamed body at once', async () => {
    const response = await open('/texts/pieces', BR)
    const [first] = (await once(response, 'data')) as [Buffer]
    expect(first.toString()).toBe(LONG)
    pieces.resolve()
    expect(Buffer.concat(await response.toArray()).toString()).toBe(LONG)
  })

  it('sends ranges of an uncompressed file', async () => {
    const file = readFileSync(import.meta.filename)
    const part = await fetched('/texts/file', { ...BR, range: 'bytes=100-1299' })
    expect([part.status, coding(part), part.bytes]).toEqual([206, undefined, file.subarray(100, 1_300)])
  })

  it('answers 304 without a body, and with the Vary of the 200', async () => {
    const weak = await fetched('/texts/weak', BR)
    expect([coding(weak), weak.headers.etag]).toEqual(['br', 'W/"1"'])
    const same = await fetched('/texts/weak', { ...BR, 'if-none-match': 'W/"1"' })
    expect([same.status, same.bytes.length, coding(same)]).toEqual([304, 0, undefined])
    expect(same.headers.vary).toBe('Accept-Encoding')
  })

  it('keeps the ETag of a record valid for If-Match', async () => {
    const insert = () => leaves.asSystem('test').insert({ owner_id: owner.id, title: 'Old', note: LONG })
    const path = `/api/leaves/${(await app.within(insert)).id}`
    const headers = { 'accept-encoding': 'br, gzip', cookie }
    const record = await fetched(path, headers)
    expect(record.headers.etag).toBe('"1"')
    expect(JSON.parse(decoded(record))).toMatchObject({ note: LONG })
    const { etag = '' } = record.headers
    expect((await fetched(path, { ...headers, 'if-none-match': etag })).status).toBe(304)
    const put = await client.put(path, { json: { title: 'New' }, headers: { 'if-match': etag } })
    expect(put.status).toBe(200)
  })

  it.each([
    ['cross-site', true, undefined],
    ['same-site', true, undefined],
    ['unknown', true, undefined],
    ['same-origin', true, 'br'],
    ['none', true, 'br'],
    ['cross-site', false, 'br'],
  ])(
    'answers a request from Sec-Fetch-Site: %s, with cookies: %s, with %s',
    async (site, hasCookies, expected) => {
      const headers = { ...BR, 'sec-fetch-site': site, ...(hasCookies && { cookie }) }
      const response = await fetched('/texts/plain', headers)
      expect(coding(response)).toBe(expected)
      expect(decoded(response)).toBe(LONG)
    },
  )
})

describe('assets with compress', () => {
  const url = async (name: string) => {
    const { text } = await app.guest.get('/login')
    const found = new RegExp(`/assets/[0-9a-f]{16}/${name.replace('.', '\\.')}`).exec(text)
    if (found === null) throw new Error(`The page contains no ${name}.`)
    return found[0]
  }

  it.each(['br', 'gzip'])('sends the bytes of the file with the coding %s', async (accepted) => {
    const htmx = await url('htmx.js')
    const [plain, ...compressed] = [
      await fetched(htmx),
      await fetched(htmx, { 'accept-encoding': accepted }),
      await fetched(htmx, { 'accept-encoding': accepted }),
    ]
    expect(coding(plain)).toBeUndefined()
    for (const response of compressed) {
      expect(coding(response)).toBe(accepted)
      expect(decoded(response)).toBe(plain.bytes.toString())
      expect(response.bytes.length).toBeLessThan(plain.bytes.length * 0.4)
      expect(response.headers['content-type']).toBe(plain.headers['content-type'])
      expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable')
      expect(response.headers.vary).toBe('Accept-Encoding')
      expect(response.headers.etag).not.toBe(plain.headers.etag)
    }
    expect(plain.headers.vary).toBe('Accept-Encoding')
  })

  it('answers HEAD with the headers of GET', async () => {
    const path = await url('htmx.js')
    for (const headers of [BR, {}]) {
      const [get, head] = [await fetched(path, headers), await fetched(path, headers, 'HEAD')]
      for (const name of ['content-encoding', 'content-length', 'etag', 'vary'])
        expect(head.headers[name]).toBe(get.headers[name])
      expect(head.bytes.length).toBe(0)
    }
  })

  it('answers 304 to the ETag of each representation', async () => {
    const path = (await url('htmx.js')).replace(/[0-9a-f]{16}/, '0'.repeat(16))
    for (const headers of [BR, {}]) {
      const { headers: sent } = await fetched(path, headers)
      expect(sent['cache-control']).toBe('no-cache')
      const again = await fetched(path, { ...headers, 'if-none-match': sent.etag })
      expect([again.status, again.bytes.length, again.headers.vary]).toEqual([304, 0, 'Accept-Encoding'])
    }
  })

  it('sends ranges of the uncompressed file, and none for the ETag of a compressed one', async () => {
    const path = await url('htmx.js')
    const [plain, compressed] = [await fetched(path), await fetched(path, BR)]
    const range = { ...BR, range: 'bytes=10-19' }
    const part = await fetched(path, range)
    expect([part.status, part.bytes]).toEqual([206, plain.bytes.subarray(10, 20)])
    const valid = await fetched(path, { ...range, 'if-range': plain.headers.etag })
    expect([valid.status, valid.bytes.length]).toEqual([206, 10])
    const whole = await fetched(path, { ...range, 'if-range': compressed.headers.etag })
    expect([whole.status, coding(whole), whole.bytes]).toEqual([200, undefined, plain.bytes])
  })

  it('sends a file uncompressed if compression would enlarge it', async () => {
    const css = await url('app.css')
    const response = await fetched(css, BR)
    expect(response.bytes.length).toBeLessThanOrEqual((await fetched(css)).bytes.length)
  })
})
