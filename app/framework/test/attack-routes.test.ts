import { describe, expect, it } from 'vitest'
import { authorize, type Handler, load, publicRoute, record, routes, secured } from 'pergola'
import { attackRoutes, routeAttacks } from 'pergola/lab'
import { type Makers, testDatabase } from 'pergola/testing'
import { createLedges, ledges } from './fixtures/ledge.ts'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'

const database = await testDatabase()
await createLedges(database.db)
const makers: Makers = {
  Note: ({ id }) => makeNote({ author_id: id }),
  User: () => makeUser(),
  Ledge: ({ id }) => {
    const ledge = database.db.insertInto('ledges').values({ name: 'A ledge', owner_id: id })
    return ledge.returning('id').executeTakeFirstOrThrow()
  },
  '/account/sessions/:id': async ({ id }) => {
    const values = { user_id: id, token: crypto.randomUUID() }
    return database.db.insertInto('sessions').values(values).returning('id').executeTakeFirstOrThrow()
  },
}

/** Attacks an application with these additional routes. Returns the problems, without HSTS, which needs HTTPS. */
async function problemsOf(name: string, table: Parameters<typeof routes>[1] = {}) {
  const resources = [
    { repository: notes, routes: { others: routes('/notes', table) } },
    { repository: users },
    { repository: ledges },
  ]
  const app = await testApp({ database, resources })
  const insider = await app.within(() => makeUser({ roles: ['admin'] }))
  const attack = routeAttacks[name]
  if (attack === undefined) throw new Error(`${name} is not an attack.`)
  const { requests, problems } = await attackRoutes(app, attack, { insider, makers, secrets: ['hunter2'] })
  expect(requests).toBeGreaterThan(0)
  return problems.filter((problem) => !problem.includes('strict-transport-security'))
}

const html = (text: (q: string) => string): Handler => {
  return ({ query: { q } }, res) => void res.type('html').send(text(typeof q === 'string' ? q : ''))
}

describe('attackRoutes', () => {
  it('finds nothing in a route with guards and a schema', async () => {
    const show: Handler = (req, res) => void res.json(record(req, Note, 'show').id)
    const table = { 'GET /:id': [publicRoute(), load(Note), authorize('show', Note), show] } as const
    expect(await problemsOf('strange ids', table)).toEqual([])
  })

  it.each(['wrong content types', 'large bodies', 'nested bodies'])(
    'reaches the bodies of an API with versions with %s',
    async (name) => {
      const problems = await problemsOf(name)
      expect(problems.filter((problem) => problem.includes('/api/'))).toEqual([])
    },
  )

  it.each([
    ['markup in parameters', html((q) => q), 'unescaped markup'],
    ['strange pages, sizes, orders, cursors and searches', html((q) => decodeURIComponent(q)), 'status 500'],
    ['strange pages, sizes, orders, cursors and searches', html(() => 'hunter2'), 'a secret'],
    ['strange pages, sizes, orders, cursors and searches', html(() => 'select "id" from'), 'SQL'],
  ])('reports %s', async (name, handler, problem) => {
    const problems = await problemsOf(name, { 'GET /': [publicRoute(), handler] })
    expect(problems).toContainEqual(expect.stringMatching(new RegExp(`^GET /notes.* as guest: ${problem}`)))
  })

  it('reports a missing security header', async () => {
    const bare: Handler = (_req, res) => {
      res.removeHeader('Content-Security-Policy')
      res.end()
    }
    const problems = await problemsOf('markup in parameters', { 'GET /': [publicRoute(), bare] })
    expect(problems.join('\n')).toContain('as insider: content-security-policy is missing')
  })

  it('reports a handler that accepts a strange id', async () => {
    const ok: Handler = (_req, res) => void res.end()
    const problems = await problemsOf('strange ids', { 'GET /one/:id': [secured(), ok] })
    expect(problems).toContain('GET /notes/one/-1 {} as insider: status 200')
  })
})
