import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  authorize,
  type Handler,
  load,
  publicRoute,
  recentlyConfirmed,
  record,
  routes,
  secured,
} from 'pergola'
import { makeNote, Note, notes, seedNotes } from './fixtures/note.ts'
import { type Makers, probe, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'

const database = await testDatabase()
const makers: Makers = {
  Note: (owner) => makeNote({ author_id: owner.id, published: false }),
  User: () => makeUser(),
  '/account/sessions/:id': (owner) => sessionOf(owner),
}

describe('the application', () => {
  it('allows and denies access as its policies declare, on every route with a record', async () => {
    const app = await testApp({ database })
    expect(await probe(app, makers)).toEqual([])
    // The duration increases with the number of routes.
  }, 120_000)
})

describe('probe', () => {
  const found = async (table: Parameters<typeof routes>[1], base = '/notes') => {
    const resources = [{ repository: notes, routes: { others: routes(base, table) } }, { repository: users }]
    return probe(await testApp({ database, resources }), makers)
  }
  const remove: Handler = async (req, res) => {
    await notes.delete(record(req, Note, 'delete'))
    res.end()
  }
  const ok = (_req: unknown, res: { end: () => unknown }) => void res.end()
  const refuseAll: Handler = (_req, res) => void res.status(404).end()

  it('reports a route without authorization', async () => {
    expect(await found({ 'GET /:id': [publicRoute(), ok] })).toEqual([
      'GET /notes/:id as guest: was allowed with status 200',
      'GET /notes/:id as stranger: was allowed with status 200',
      'GET /notes/:id as owner: was allowed with status 200',
      'GET /notes/:id as admin: was allowed with status 200',
    ])
  })

  it('reports a form without the authorization that its handler needs', async () => {
    const blank = (req: Parameters<typeof record>[0]) => void record(req, Note, 'create')
    expect((await found({ 'GET /new': [secured(), blank] })).map((line) => line.split(': ')[1])).toEqual([
      'failed with status 500',
      'failed with status 500',
      'failed with status 500',
    ])
  })

  it('requests a record below its own parent', async () => {
    const below = load(Note, { below: { author_id: 'author' } })
    const table = { 'GET /:author/:id': [publicRoute(), below, authorize('show', Note), ok] } as const
    expect(await found(table, '/by')).toEqual([])
  })

  it('accepts a redirect to the page that confirms the session', async () => {
    const show = [load(Note), authorize('show', Note), ok] as const
    const confirmed = recentlyConfirmed('1 hour')
    expect(await found({ 'GET /:id/secret': [secured(), confirmed, ...show] })).toEqual([])
    expect(await found({ 'GET /:id/verified': [secured({ verified: true }), ...show] })).toEqual([])
  })

  it('accepts a route with two decisions', async () => {
    const asking = [load(Note), authorize('show', Note), authorize('update', Note)] as const
    expect(await found({ 'GET /:id': [publicRoute(), ...asking, ok] })).toEqual([])
  })

  it('throws if a maker returns the id of a missing record', async () => {
    const table = { 'GET /:id': [publicRoute(), load(Note), authorize('show', Note), ok] } as const
    const resources = [{ repository: notes, routes: { others: routes('/notes', table) } }]
    const app = await testApp({ database, resources })
    const nothing: Makers = { ...makers, Note: () => Promise.resolve({ id: 999_999 }) }
    await expect(probe(app, nothing)).rejects.toThrow('the maker of Note returned an id without a record')
  })

  it('reports a write without authorization', async () => {
    expect(await found({ 'POST /': [secured(), ok] })).toHaveLength(3)
  })

  it('reports a handler that refuses callers whom the policy allows', async () => {
    const asking = [load(Note), authorize('update', Note)] as const
    expect(await found({ 'PUT /:id': [publicRoute(), ...asking, refuseAll] })).toEqual([
      'PUT /notes/:id as owner: was denied with status 404',
      'PUT /notes/:id as admin: was denied with status 404',
    ])
  })

  it('reports a handler that uses a record without a decision', async () => {
    const show = (req: Parameters<typeof record>[0]) => void record(req, Note, 'show')
    expect(
      (await found({ 'GET /:id': [publicRoute(), load(Note), authorize('update', Note), show] }))[0],
    ).toBe('GET /notes/:id as owner: failed with status 500')
  })

  it('uses the records of a seed if a resource has no maker', async () => {
    const asking = [load(Note), authorize('update', Note)] as const
    const table = {
      'PUT /:id': [publicRoute(), ...asking, ok],
      'DELETE /:id': [publicRoute(), ...asking, refuseAll],
    } as const
    const resources = [
      { repository: notes, routes: { others: routes('/notes', table) }, seed: seedNotes },
      { repository: users },
    ]
    const empty = await testDatabase()
    const surprises = await probe(await testApp({ database: empty, resources }), {
      '/account/sessions/:id': (owner) => sessionOf(owner, empty),
    })
    expect(surprises.map((surprise) => surprise.split(' ')[0])).toEqual(Array(2).fill('DELETE'))
  })

  it('runs the seed again after its records were deleted', async () => {
    const table = {
      'DELETE /:id': [publicRoute(), load(Note), authorize('delete', Note), remove],
      'GET /:id': [publicRoute(), load(Note), authorize('show', Note), ok],
    } as const
    const one = async ([author_id = 0]: readonly number[]) =>
      void (await notes
        .asSystem('seed')
        .insert({ title: 'The only one', body: '', author_id, published: true }))
    const resources = [
      { repository: notes, routes: { others: routes('/notes', table) }, seed: one },
      { repository: users },
    ]
    const empty = await testDatabase()
    expect(
      await probe(await testApp({ database: empty, resources }), {
        '/account/sessions/:id': (owner) => sessionOf(owner, empty),
      }),
    ).toEqual([])
  })

  it('throws with the path of a record that it can’t make', async () => {
    const elsewhere = { 'GET /:thing': [publicRoute(), ok] } as const
    await expect(
      probe(
        await testApp({
          database,
          resources: [{ repository: notes, routes: { others: routes('/things', elsewhere) } }],
        }),
        { '/account/sessions/:id': sessionOf },
      ),
    ).rejects.toThrow("GET /things/:thing has no record to probe. Pass a maker: { '/things/:thing'")
  })
})

/** Creates another session of this user. */
async function sessionOf({ id }: { id: number }, { db } = database): Promise<{ id: number }> {
  const values = { user_id: id, token: randomBytes(8).toString('hex') }
  return db.insertInto('sessions').values(values).returning('id').executeTakeFirstOrThrow()
}
