import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Handler, publicRoute, routes, Unavailable } from 'pergola'
import { testNoteApp, testNoteDatabase, testNoteResource } from '#app/test/test-note.ts'

const folder = mkdtempSync(join(tmpdir(), 'views-'))
afterAll(() => rmSync(folder, { recursive: true }))
const view = join(folder, 'broken.eta')
writeFileSync(view, '<h1>Title</h1>\n<p><%= it.note.title %></p>\n')

const failInHandler: Handler = () => {
  throw new Error('The handler failed.')
}
// Eta reports the line of a view in this format.
const failInView: Handler = () => {
  throw new Error('views/broken.eta failed', { cause: new Error(`${view}:2\n >> 2| …\n\nnote is undefined`) })
}
const refuse: Handler = () => {
  throw new Unavailable(undefined, 'Closed until noon.', 120)
}
const failing = routes('/failing', {
  'GET /handler': [publicRoute(), failInHandler],
  'GET /view': [publicRoute(), failInView],
  'GET /refused': [publicRoute(), refuse],
})

const database = await testNoteDatabase()
const start = (env: Record<string, string>) =>
  testNoteApp({
    database,
    env,
    resources: [{ ...testNoteResource, routes: { ...testNoteResource.routes, failing } }],
  })
const app = await start({ NODE_ENV: 'development' })

describe('the error page in development', () => {
  it('shows the message, the source line and the request', async () => {
    const { status, text } = await app.guest.get('/failing/handler?size=7', {
      headers: { cookie: 'key=secret' },
    })
    expect(status).toBe(500)
    expect(text).toContain('The handler failed.')
    expect(text).toContain('error-page.test.ts')
    expect(text).toContain('/failing/handler?size=7')
    expect(text).not.toContain('key=secret')
  })

  it('leaves a refusal to the error page of production', async () => {
    const { status, headers, text } = await app.guest.get('/failing/refused')
    expect([status, headers.get('retry-after')]).toEqual([503, '120'])
    expect(text).toContain('<p id="problem-text">Closed until noon.</p>')
    expect(text).not.toContain('<pre>')
  })

  it('shows the line of a view', async () => {
    const { text } = await app.guest.get('/failing/view')
    expect(text).toContain('broken.eta')
    expect(text).toContain('note is undefined')
    expect(text).toMatch(/it\.note\.title|note<\/span>/)
  })

  it('allows only its own inline code in its Content-Security-Policy', async () => {
    const { headers, text } = await app.guest.get('/failing/handler')
    const [, nonce] = /script-src 'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '') ?? []
    expect(nonce).toMatch(/^.{20,}$/)
    expect(text).toContain(`nonce="${nonce}"`)
    const next = await app.guest.get('/failing/handler')
    expect(next.headers.get('content-security-policy')).not.toContain(nonce)
  })

  it('is the error view for htmx', async () => {
    const { status, text } = await app.guest.get('/failing/handler', { headers: { 'hx-request': 'true' } })
    expect(status).toBe(500)
    expect(text).toContain('id="problem-text"')
  })
})

describe('the error page in production', () => {
  it('shows no details', async () => {
    const { guest } = await start({})
    const { status, text, headers } = await guest.get('/failing/handler')
    expect(status).toBe(500)
    expect(text).not.toContain('The handler failed.')
    expect(headers.get('content-security-policy')).not.toContain('nonce')
  })
})
