import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express, { type Response } from 'express'
import { describe, expect, it } from 'vitest'
import { sendHtml, useFastJson } from './send-body.ts'

/** Returns what a client receives, without the time. */
async function received(
  send: (res: Response) => void,
  { fast, method = 'GET', settings = {}, headers: asked = {} }: Case,
) {
  const app = express()
    .disable('etag')
    .use((_req, res) => send(res))
  for (const [name, value] of Object.entries(settings)) app.set(name, value)
  if (fast) useFastJson(app)
  const server = app.listen(0)
  await once(server, 'listening')
  const response = await fetch(`http://localhost:${(server.address() as AddressInfo).port}`, {
    method,
    headers: asked,
  })
  const body = await response.text()
  server.close()
  const { date: _date, ...headers } = Object.fromEntries(response.headers)
  return { status: response.status, headers, body }
}

interface Case {
  fast: boolean
  method?: string
  settings?: Record<string, unknown>
  headers?: Record<string, string>
}

describe.each([
  ['a record', (res: Response) => res.json({ title: 'Ünïcode – ↕', id: 1 })],
  ['a long list', (res: Response) => res.json(Array.from({ length: 900 }, (_item, id) => ({ id })))],
  ['null', (res: Response) => res.json(null)],
  ['undefined', (res: Response) => res.json(undefined)],
  ['an error', (res: Response) => res.status(404).json({ code: 'not_found' })],
  ['a type of its own', (res: Response) => res.type('application/problem+json').json({ status: 400 })],
  ['no content', (res: Response) => res.status(204).json({ id: 1 })],
  ['a reset', (res: Response) => res.status(205).json({ id: 1 })],
  ['an unchanged record', (res: Response) => res.set('ETag', '"1"').json({ id: 1 })],
])('JSON of %s', (_name, send) => {
  it.each([
    ['GET', {}],
    ['HEAD', {}],
    ['GET', { 'json spaces': 2 }],
    ['GET', { 'json escape': true }],
    ['GET', { etag: 'strong' }],
  ])('is sent as by Express: %s %j', async (method, settings) => {
    const [fast, slow] = [
      { fast: true, method, settings },
      { fast: false, method, settings },
    ]
    expect(await received(send, fast)).toEqual(await received(send, slow))
  })
})

describe('a record with a version', () => {
  it.each([
    { 'if-none-match': '"1"' },
    { 'if-none-match': '"2"' },
    { 'if-none-match': '*', 'cache-control': 'no-cache' },
    { 'if-modified-since': 'Fri, 27 Nov 2026 10:00:00 GMT' },
    {},
  ])('is sent as by Express to a request with %j', async (headers) => {
    const send = (res: Response) =>
      res.set({ ETag: '"1"', 'Last-Modified': 'Fri, 27 Nov 2026 09:00:00 GMT' }).json({ id: 1 })
    expect(await received(send, { fast: true, headers })).toEqual(
      await received(send, { fast: false, headers }),
    )
  })
})

describe('sendHtml', () => {
  it.each([
    ['a page', (res: Response) => res, '<p>Ünïcode – ↕</p>'],
    ['half of a surrogate pair', (res: Response) => res, '<p>\ud83d</p>'],
    ['an error', (res: Response) => res.status(422), '<p>Invalid</p>'],
    ['a type of its own', (res: Response) => res.type('text/plain'), '<p>Text</p>'],
    ['no content', (res: Response) => res.status(204), '<p>None</p>'],
  ])('sends %s as Express does', async (_name, prepare, html) => {
    const sent = await received((res) => sendHtml(prepare(res), html), { fast: true })
    expect(sent).toEqual(await received((res) => prepare(res).type('html').send(html), { fast: false }))
  })
})
