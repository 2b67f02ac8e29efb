import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  database,
  type Handler,
  pageRequest,
  policy,
  policyContext,
  publicRoute,
  render,
  routes,
} from 'pergola'
import { routesOfResources } from 'pergola/app'
import { notices, recordedRequests, repeatedStatements } from 'pergola/dev'
import { enqueue, job, prepareJobs } from 'pergola/jobs'
import { matchRoute } from 'pergola/manifest'
import { productionApp } from '#app/manifest.ts'
import { resources } from '#app/resources.ts'
import {
  makeTestNote,
  TestNote,
  testNoteApp,
  testNoteDatabase,
  testNoteResource,
  testNotes,
} from '#app/test/test-note.ts'

const isKnown = (id: number) =>
  database().selectFrom('users').select('id').where('id', '=', id).executeTakeFirst()

const inLoop: Handler = async (req, res) => {
  const notes = await testNotes.visibleTo(await policyContext(req)).page(pageRequest(req))
  for (const { owner_id } of notes.content)
    await database().selectFrom('users').select('name').where('id', '=', owner_id).execute() // in the loop
  res.json(notes)
}

const atOnce: Handler = async (req, res) => {
  const notes = await testNotes.visibleTo(await policyContext(req)).page(pageRequest(req))
  await Promise.all(notes.content.map(({ owner_id }) => isKnown(owner_id))) // at once
  res.json(notes)
}

const remind = job('remind', { args: z.object({ id: z.int() }), run: async () => {} })

const enqueueOne: Handler = async (_req, res) => {
  await enqueue(remind, { id: 1 })
  await render(res, 'dev/index', { notices: [] })
}

const slow = routes('/slow', {
  'GET /loop': [publicRoute(), inLoop],
  'GET /at-once': [publicRoute(), atOnce],
  'GET /job': [publicRoute(), enqueueOne],
})

const decideEach: Handler = async (req, res) => {
  const notes = await testNotes.visibleTo(await policyContext(req)).page(pageRequest(req))
  await testNotes.abilities(req, notes.content)
  res.json(notes)
}
const deciding = routes('/deciding', { 'GET /': [publicRoute(), decideEach] })

// A rule that reads the owner of each record.
const asking = policy(TestNote, {
  canShow: () => true,
  canUpdate: async (_ctx, note) =>
    (await database().selectFrom('users').select('id').where('id', '=', note.owner_id).execute()).length > 0, // in the rule
})

const testNoteDb = await testNoteDatabase()
const env = { NODE_ENV: 'development' }
const app = await testNoteApp({
  database: testNoteDb,
  env,
  resources: [...resources, { ...testNoteResource, routes: { ...testNoteResource.routes, slow } }],
})
await prepareJobs(app.db, [remind])
const notes = await app.within(async () => {
  const made = []
  for (let n = 0; n < 4; n++) made.push(await makeTestNote())
  return made
})

/** Returns the line of this file that ends with a comment. */
function lineWith(comment: string): string {
  const lines = readFileSync(import.meta.filename, 'utf8').split('\n')
  return `app/dev/requests.test.ts:${lines.findIndex((line) => line.endsWith(`// ${comment}`)) + 1}`
}

/** Requests a path, and returns the record of it. */
async function recordOf(path: string, guest = app.guest) {
  const { headers } = await guest.get(path)
  const record = recordedRequests().find(({ id }) => id === headers.get('x-request-id'))
  if (record === undefined) throw new Error(`${path} was not recorded.`)
  await expect.poll(() => record.outcome).not.toBeNull()
  return record
}

describe('the record of a request', () => {
  it.each([
    ['/slow/loop', 'in the loop'],
    ['/slow/at-once', 'at once'],
  ])('reports the statement that %s sends for each row, with its line', async (path, comment) => {
    expect(repeatedStatements(await recordOf(path))).toEqual([
      expect.objectContaining({ times: 4, callers: [lineWith(comment)] }),
    ])
  })

  it('reports the statement that a rule sends for each row, with its line', async () => {
    const { guest } = await testNoteApp({
      database: testNoteDb,
      env,
      policies: [[TestNote, asking]],
      resources: [...resources, { ...testNoteResource, routes: { ...testNoteResource.routes, deciding } }],
    })
    const [repeated] = repeatedStatements(await recordOf('/deciding', guest))
    expect(repeated).toMatchObject({ times: 4, callers: [lineWith('in the rule')] })
  })

  it('reports nothing of the pages of the application', async () => {
    const admin = await app.newcomer({ roles: ['admin'] })
    const lists = routesOfResources(resources).map(({ base }) => base)
    for (const path of ['/', '/account', '/test-notes', ...lists])
      expect([path, repeatedStatements(await recordOf(path, admin))]).toEqual([path, []])
  })

  it('has guards, decisions, statements and the outcome, but no values', async () => {
    const [note] = notes
    const record = await recordOf(`/test-notes/${note?.id}`)
    expect(record).toMatchObject({
      method: 'GET',
      url: `/test-notes/${note?.id}`,
      guards: [
        { guard: 'is open to guests and signed-in users' },
        { guard: 'allows each user 120 requests in 60 seconds' },
        { guard: 'loads the TestNote whose id is in the path, or returns a 404' },
        { guard: 'checks whether the caller may show the TestNote' },
      ],
      decisions: [{ action: 'show', resource: 'TestNote', allowed: true, cause: 'allowed' }],
      outcome: { status: 200, route: '/test-notes/:id' },
    })
    expect(record.statements.map(({ text }) => text).join()).toContain('from "test_notes"')
    expect(JSON.stringify(record)).not.toContain(note?.title)
  })

  it('has the guard that refused, and why', async () => {
    const record = await recordOf('/test-notes/999999')
    expect(record.guards.at(-1)).toMatchObject({ error: expect.any(String) })
    expect(record.outcome).toMatchObject({ status: 404 })
  })

  it('has the jobs and the views', async () => {
    const { jobs, views } = await recordOf('/slow/job')
    expect(jobs).toEqual([expect.objectContaining({ job: 'remind' })])
    expect(views.map(({ view }) => view)).toContain('/dev/index')
  })

  it('has no token of a link', async () => {
    expect((await recordOf('/password-reset/new?token=secret&x=1')).url).toBe(
      '/password-reset/new?token=[redacted]&x=1',
    )
  })
})

describe('/_dev/requests', () => {
  it('lists the requests, marks N+1, and links each one', async () => {
    const { id } = await recordOf('/slow/loop')
    const { text } = await app.guest.get('/_dev/requests')
    expect(text).toContain(`<a href="/_dev/requests/${id}"><code>GET /slow/loop</code></a>`)
    expect(text).toContain('N+1')
  })

  it('lists them as JSON for programs', async () => {
    const { id } = await recordOf('/slow/loop')
    const { json } = await app.guest.get('/_dev/requests', { headers: { accept: 'application/json' } })
    expect(json()).toContainEqual(
      expect.objectContaining({ id, repeated: [expect.objectContaining({ times: 4 })] }),
    )
  })

  it('shows one request, with links to its lines and plans', async () => {
    const { id } = await recordOf('/slow/loop')
    const { text } = await app.guest.get(`/_dev/requests/${id}`)
    expect(text).toContain(lineWith('in the loop'))
    expect(text).toContain(`vscode://file/`)
    const [, plan = ''] = /href="([^"]+\/plans\/\d+)"/.exec(text) ?? []
    expect((await app.guest.get(plan)).text).toMatch(/Scan/)
  })

  it('shows the line of the rule that decided', async () => {
    const { id } = await recordOf(`/test-notes/${notes[0]?.id}`)
    expect((await app.guest.get(`/_dev/requests/${id}`)).text).toMatch(
      /canShow[^]*app\/test\/test-note\.ts:\d+/,
    )
  })

  it.each(['/_dev/requests/unknown', '/_dev/requests/unknown/plans/0'])(
    'returns 404 for %s',
    async (path) => {
      expect((await app.guest.get(path)).status).toBe(404)
    },
  )

  it('records no request of its own pages, and tells browsers the id of the others', async () => {
    const before = recordedRequests().length
    const { headers } = await app.guest.get('/_dev/requests')
    expect([recordedRequests().length, headers.get('server-timing')]).toEqual([before, null])
    expect((await app.guest.get('/test-notes')).headers.get('server-timing')).toMatch(
      /^request;desc="[0-9a-f-]{36}";dur=[\d.]+, statements;desc="\d+";dur=[\d.]+, repeated;desc="0", notices;desc="0"$/,
    )
  })

  it('tells browsers that there are notices, which /_dev shows', async () => {
    notices.push('A migration of <another> branch ran.')
    onTestFinished(() => void notices.pop())
    expect((await app.guest.get('/test-notes')).headers.get('server-timing')).toContain('notices;desc="1"')
    expect((await app.guest.get('/_dev')).text).toContain('A migration of &lt;another&gt; branch ran.')
  })

  it('records nothing with DEV__REQUESTS=false', async () => {
    const { guest } = await testNoteApp({ database: testNoteDb, env: { ...env, DEV__REQUESTS: 'false' } })
    const before = recordedRequests().length
    expect((await guest.get('/test-notes')).headers.get('server-timing')).toBeNull()
    expect([recordedRequests().length, (await guest.get('/_dev/requests')).status]).toEqual([before, 200])
  })

  it('does not exist in test or production', async () => {
    const { guest } = await testNoteApp({ database: testNoteDb })
    expect((await guest.get('/test-notes')).headers.get('server-timing')).toBeNull()
    expect((await guest.get('/_dev/requests')).status).toBe(404)
    expect(matchRoute(productionApp().app, 'GET', '/_dev/requests')).toBeNull()
  })
})
