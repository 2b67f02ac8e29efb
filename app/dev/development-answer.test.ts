import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { database, type Handler, PageRequest, policyContext, publicRoute, routes, Unavailable } from 'pergola'
import { testNoteApp, testNoteDatabase, testNoteResource, testNotes } from '#app/test/test-note.ts'

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
const failInStatement: Handler = async () => {
  await sql`select titel from test_notes`.execute(database()) // the statement
}
const failInList: Handler = async (req) => {
  const page = new PageRequest(1, 10)
  await testNotes.visibleTo(await policyContext(req)).page(page, { where: () => sql<boolean>`titel = ''` }) // the list
}
const refuse: Handler = () => {
  throw new Unavailable(undefined, 'Closed until noon.', 120)
}
const failing = routes('/failing', {
  'GET /handler': [publicRoute(), failInHandler],
  'GET /view': [publicRoute(), failInView],
  'GET /statement': [publicRoute(), failInStatement],
  'GET /list': [publicRoute(), failInList],
  'GET /refused': [publicRoute(), refuse],
})

const notes = await testNoteDatabase()
const start = (env: Record<string, string>) =>
  testNoteApp({
    database: notes,
    env,
    resources: [{ ...testNoteResource, routes: { ...testNoteResource.routes, failing } }],
  })
const app = await start({ NODE_ENV: 'development' })
const browse = (path: string, headers: Record<string, string> = {}) =>
  app.guest.get(path, { headers: { accept: 'text/html,*/*;q=0.8', ...headers } })

/** Returns the line of this file that ends with a comment. */
function lineWith(comment: string): string {
  const lines = readFileSync(import.meta.filename, 'utf8').split('\n')
  return `app/dev/development-answer.test.ts:${lines.findIndex((line) => line.endsWith(`// ${comment}`)) + 1}`
}

describe('the answer of a broken route in development', () => {
  it('shows the message, the source line and the request', async () => {
    const { status, text } = await browse('/failing/handler?size=7', { cookie: 'key=secret' })
    expect(status).toBe(500)
    expect(text).toContain('The handler failed.')
    expect(text).toContain('development-answer.test.ts')
    expect(text).toContain('/failing/handler?size=7')
    expect(text).not.toContain('key=secret')
  })

  it('leaves a refusal to the error page of production', async () => {
    const { status, headers, text } = await browse('/failing/refused')
    expect([status, headers.get('retry-after')]).toEqual([503, '120'])
    expect(text).toContain('<p id="problem-text">Closed until noon.</p>')
    expect(text).not.toContain('<pre>')
  })

  it('shows the line of a view', async () => {
    const { text } = await browse('/failing/view')
    expect(text).toContain('broken.eta')
    expect(text).toContain('note is undefined')
    expect(text).toMatch(/it\.note\.title|note<\/span>/)
  })

  it('allows only its own inline code in its Content-Security-Policy', async () => {
    const { headers, text } = await browse('/failing/handler')
    const [, nonce] =
      /script-src 'self' 'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '') ?? []
    expect(nonce).toMatch(/^.{20,}$/)
    expect(text).toContain(`nonce="${nonce}"`)
    const next = await browse('/failing/handler')
    expect(next.headers.get('content-security-policy')).not.toContain(nonce)
  })

  it('shows a broken statement with its position, its line and the guards that were passed', async () => {
    const { text } = await browse('/failing/statement')
    for (const part of ['select ▸titel from test_notes', 'is open to guests', 'development-answer.test.ts'])
      expect(text).toContain(part)
  })

  it('is JSON for a program that prefers it', async () => {
    const { status, headers, json } = await app.guest.get('/failing/statement', {
      headers: { accept: 'application/json' },
    })
    expect([status, headers.get('content-type')]).toEqual([500, expect.stringContaining('problem+json')])
    expect(json()).toMatchObject({
      detail: 'column "titel" does not exist',
      code: 'internal_error',
      place: lineWith('the statement'),
      statement: { text: 'select ▸titel from test_notes', hint: expect.stringContaining('test_notes.title') },
    })
  })

  it('shows the sentence of Postgres about the SQL of a list, and the line that reads it', async () => {
    const { json } = await app.guest.get('/failing/list', { headers: { accept: 'application/json' } })
    expect(json()).toMatchObject({ detail: 'column "titel" does not exist', place: lineWith('the list') })
    const { text } = await browse('/failing/list')
    expect(text).toContain(`column "titel" does not exist`)
    expect(text).toContain('development-answer.test.ts')
  })

  it('is text for other programs', async () => {
    const { headers, text } = await app.guest.get('/failing/view', { headers: { accept: '*/*' } })
    expect(headers.get('content-type')).toContain('text/plain')
    expect(text).toMatch(/^note is undefined\n\n.*broken\.eta:2\n/)
  })

  it('is the error view for htmx', async () => {
    const { status, text } = await app.guest.get('/failing/handler', { headers: { 'hx-request': 'true' } })
    expect(status).toBe(500)
    expect(text).toContain('id="problem-text"')
  })
})

describe('the answer of a broken route in production', () => {
  it('shows no details', async () => {
    const { guest } = await start({})
    const { status, text, headers } = await guest.get('/failing/handler')
    expect(status).toBe(500)
    expect(text).not.toContain('The handler failed.')
    expect(headers.get('content-security-policy')).not.toContain('nonce')
  })
})
