import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type ProxyTracerProvider, trace } from '@opentelemetry/api'
import type { TracerProvider } from '@opentelemetry/sdk-trace'
import { sql } from 'kysely'
import { database, deny, policy } from 'pergola'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '#app/config.ts'
import { makeLog } from '#app/log.ts'
import { testApp } from '#app/test/test-app.ts'
import { User } from '#app/users/user.ts'
import { endTelemetry, startTelemetry } from './telemetry.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly status: { readonly code: number; readonly message?: string }
  readonly attributes: readonly { key: string; value: { [kind: string]: unknown } }[]
}

const bodies: string[] = []
const spans: Span[] = []
/** A collector that accepts OTLP as JSON. */
const collector = createServer((req, res) => {
  void receive(req).then(() => res.setHeader('Content-Type', 'application/json').end('{}'))
})
async function receive(req: IncomingMessage): Promise<void> {
  const body = (await json(req)) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
  bodies.push(JSON.stringify(body))
  spans.push(...body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
}
collector.listen(0, '127.0.0.1')
await once(collector, 'listening')
afterAll(() => void collector.close())

const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`
const config = readConfig({ NODE_ENV: 'test', TELEMETRY__ENDPOINT: endpoint })
const lines: string[] = []
const destination = { write: (line: string) => void lines.push(line) }
const log = makeLog({ ...config, server: { ...config.server, log_level: 'info' } }, destination)
await startTelemetry(config, log)
afterAll(endTelemetry)

type Rule = () => boolean | ReturnType<typeof deny> | Promise<boolean>
const rules: { administer: Rule } = { administer: () => true }
const policies = [[User, policy(User, { canAdminister: () => rules.administer() })] as const]
const app = await testApp({ policies, log })
const admin = await app.newcomer({ roles: ['admin'] })
const { id } = admin.user
beforeEach(() => {
  rules.administer = () => true
})

const flush = () =>
  ((trace.getTracerProvider() as ProxyTracerProvider).getDelegate() as TracerProvider).forceFlush()

/** Waits for the span with this name in a trace. Returns all spans of the trace. */
async function traceWith(traceId: string, name: string): Promise<readonly Span[]> {
  const ofTrace = () => spans.filter((span) => span.traceId === traceId)
  await expect.poll(async () => (await flush(), ofTrace().map((span) => span.name))).toContain(name)
  return ofTrace()
}

const parent = () => ({ traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') })
const header = ({ traceId, spanId }: ReturnType<typeof parent>, sampled = '01') => ({
  traceparent: `00-${traceId}-${spanId}-${sampled}`,
})

/** Gets a user as an admin. Returns the spans. */
async function showUser(userId = id) {
  const { traceId, spanId } = parent()
  await admin.get(`/users/${userId}?note=canary`, { headers: header({ traceId, spanId }) })
  const all = await traceWith(traceId, 'GET /users/:id')
  const root = all.find(({ name }) => name === 'GET /users/:id') as Span
  const decision = all.find(({ name }) => name === 'authorize administer User') as Span
  return { all, root, decision, spanId }
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

describe('a request', () => {
  it('has a span below the span of the caller, with the decision and its statements below', async () => {
    rules.administer = async () => {
      await database().selectFrom('users').select('name').where('id', '=', id).execute()
      return true
    }
    const { all, root, decision, spanId } = await showUser()
    expect(root).toMatchObject({ parentSpanId: spanId, kind: 2 })
    expect(attributesOf(root)).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/users/:id',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'enduser.id': String(id),
    })
    expect(decision.parentSpanId).toBe(root.spanId)
    expect(attributesOf(decision)).toEqual({
      'pergola.action': 'administer',
      'pergola.resource': 'User',
      'pergola.allowed': true,
      'pergola.cause': 'allowed',
    })
    const statement = all.find(({ parentSpanId }) => parentSpanId === decision.spanId) as Span
    expect([statement.name, statement.kind]).toEqual(['select users', 3])
    expect(attributesOf(statement)).toEqual({
      'db.system.name': 'postgresql',
      'db.operation.name': 'select',
      'db.query.summary': 'select users',
      'db.query.text': 'select "name" from "users" where "id" = $1',
    })
    // The record was loaded before.
    const loads = all.filter((span) => span.name === 'select users' && span.parentSpanId === root.spanId)
    expect(loads.length).toBeGreaterThan(0)
  })

  it.each([
    ['denied', () => deny('locked', 'canary'), { 'pergola.cause': 'denied', 'pergola.reason': 'locked' }],
    [
      'broken',
      () => Promise.reject(new TypeError('canary')),
      { 'pergola.cause': 'error', 'error.type': 'TypeError' },
    ],
  ] as const)('shows a decision that is %s', async (_, rule, attributes) => {
    rules.administer = rule
    const { root, decision } = await showUser()
    expect(attributesOf(decision)).toMatchObject({ 'pergola.allowed': false, ...attributes })
    expect(attributesOf(root)).toMatchObject({ 'http.response.status_code': 404 })
  })

  it('shows that a record is missing, like the log', async () => {
    const { decision } = await showUser(999_999)
    expect(attributesOf(decision)).toMatchObject({ 'pergola.allowed': false, 'pergola.cause': 'missing' })
  })

  it('has the trace in its line of the log', async () => {
    const { root } = await showUser()
    const line = lines.find((one) => one.includes('request completed') && one.includes(root.traceId))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ trace_id: root.traceId, req: { path: `/users/${id}` } })
  })

  it('records nothing if its caller doesn’t, and begins a trace for a malformed header', async () => {
    const one = parent()
    await app.guest.get('/login', { headers: header(one, '00') })
    await app.guest.get('/login', { headers: { traceparent: `00-${one.traceId}-canary-01` } })
    await expect.poll(async () => (await flush(), spans.map(({ name }) => name))).toContain('GET /login')
    expect(spans.filter(({ traceId }) => traceId === one.traceId)).toEqual([])
  })
})

it('a failing statement is an error with its SQLSTATE, in a span of the application', async () => {
  const traceId = await trace.getTracer('test').startActiveSpan('work', async (span) => {
    await expect(sql`select ${'canary'}::int, 'from canary'`.execute(app.db)).rejects.toThrow('canary')
    span.end()
    return span.spanContext().traceId
  })
  const all = await traceWith(traceId, 'select')
  const statement = all.find(({ name }) => name === 'select') as Span
  expect(statement).toMatchObject({
    status: { code: 2 },
    parentSpanId: all.find(({ name }) => name === 'work')?.spanId,
  })
  expect(attributesOf(statement)).toMatchObject({
    'error.type': '22P02',
    'db.response.status_code': '22P02',
    'db.query.text': 'select $1::int, ?',
  })
})

it('a job has a trace of its own, with its statements', async () => {
  await app.guest.post('/signup', { form: { email: 'canary@example.org' } })
  expect(await app.mails()).toHaveLength(1)
  await expect.poll(async () => (await flush(), spans.map(({ name }) => name))).toContain('process send-mail')
  const job = spans.find(({ name }) => name === 'process send-mail') as Span
  expect(job).toMatchObject({ kind: 5, status: { code: 0 } })
  expect(job.parentSpanId ?? '').toBe('')
  expect(attributesOf(job)).toMatchObject({ 'messaging.destination.name': 'send-mail', 'pergola.attempt': 1 })
})

it('no span contains a value, a path, a name or an address', () => {
  expect(bodies.length).toBeGreaterThan(0)
  for (const text of ['canary', 'example.org', `/users/${id}`, '127.0.0.1', admin.user.name, 'sid='])
    expect(bodies.filter((body) => body.includes(text))).toEqual([])
})
