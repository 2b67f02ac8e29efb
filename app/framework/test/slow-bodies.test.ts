import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { database } from 'pergola'
import type { TestClient } from '../testing/test-client.ts'
import { makeNote, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

const app = await testApp()

const stored = (id: number) => app.within(() => notes.asSystem('test').find(id))
const JSON_BODY = JSON.stringify({ title: 'Changed', body: 'B', published: true })

describe('a request whose body arrives slowly', () => {
  it('is refused if the caller loses the permission before the body is complete', async () => {
    const admin = await app.newcomer({ roles: ['admin'] })
    const owner = await app.newcomer()
    const { id } = await app.within(() => makeNote({ author_id: owner.user.id, title: 'Original' }))
    const sent = await begin(admin, 'PUT', `/api/notes/${id}`)
    await app.within(() => users.asSystem('test').update(admin.user.id, { roles: [] }))
    const [denied, missing] = [await end(sent), await admin.put('/api/notes/0', { body: '{}' })]
    expect(denied).toEqual({ status: 404, problem: problemOf(missing.text) })
    expect((await stored(id))?.title).toBe('Original')
  })

  it('is refused if the session ends before the body is complete', async () => {
    const owner = await app.newcomer()
    const sent = await begin(owner, 'POST', '/api/notes')
    await app.within(() => database().deleteFrom('sessions').where('user_id', '=', owner.user.id).execute())
    expect((await end(sent)).status).toBe(401)
  })

  it('receives the errors of its body only after the decision of the policy', async () => {
    const [owner, stranger] = [await app.newcomer(), await app.newcomer()]
    const { id } = await app.within(() => makeNote({ author_id: owner.user.id }))
    const broken = { headers: { 'content-type': 'application/json' }, body: '{' }
    const tooLarge = { json: { title: 'x'.repeat(200_000) } }
    for (const [sent, status] of [
      [broken, 400],
      [tooLarge, 413],
      [{ body: 'x' }, 415],
    ] as const) {
      expect((await owner.put(`/api/notes/${id}`, sent)).status).toBe(status)
      expect((await stranger.put(`/api/notes/${id}`, sent)).status).toBe(404)
      expect((await app.guest.put(`/api/notes/${id}`, sent)).status).toBe(401)
    }
  })
})

describe('a body without a length that is too large', () => {
  it.each([
    ['PUT', '/api/notes/0', 'application/json', 404],
    ['POST', '/api/notes', 'application/json', 413],
    ['POST', '/notes', 'application/x-www-form-urlencoded', 413],
  ])('of %s %s gets its response before it ends', async (method, path, type, status) => {
    const caller = await app.newcomer()
    const cookie = [...caller.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = request(app.url + path, { method, headers: { cookie, 'content-type': type } })
    sent.on('error', () => undefined)
    sent.write('x'.repeat(300_000))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect([response.statusCode, response.headers.connection]).toEqual([status, 'close'])
    sent.destroy()
  })
})

/** Sends the headers and the first byte of a JSON body, and waits until the server has read them. */
async function begin(client: TestClient, method: string, path: string): Promise<ClientRequest> {
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const body = { 'content-type': 'application/json', 'content-length': JSON_BODY.length }
  const headers = { cookie, ...body, expect: '100-continue' }
  const sent = request(app.url + path, { method, headers })
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.write(JSON_BODY.slice(0, 1))
  // Waits long enough that a server which decides too early would have decided.
  await sleep(100)
  return sent
}

/** Sends the rest of the body, and returns the response. */
async function end(sent: ClientRequest): Promise<{ status: number; problem: object }> {
  sent.end(JSON_BODY.slice(1))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks = await response.toArray()
  const text = Buffer.concat(chunks as Buffer[]).toString()
  return { status: response.statusCode ?? 0, problem: problemOf(text) }
}

const problemOf = (text: string): object => ({ ...(JSON.parse(text) as object), request_id: null })
