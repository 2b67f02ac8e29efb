import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { authorize, type Handler, load, publicRoute, record, routes, secured } from 'pergola'
import { makePost } from '#app/posts/post.factory.ts'
import { posts } from '#app/posts/post.repository.ts'
import { seedPosts } from '#app/posts/post.seed.ts'
import { Post } from '#app/posts/post.ts'
import { type Makers, probe, testDatabase } from 'pergola/testing'
import { testApp } from '#app/test/test-app.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'

const database = await testDatabase()
const makers: Makers = {
  Post: (owner) => makePost({ author_id: owner.id, published: false }),
  User: () => makeUser(),
  '/account/sessions/:id': (owner) => sessionOf(owner),
}

describe('the application', () => {
  it('lets in who may and nobody else, on every route about a record', async () => {
    const app = await testApp({ database })
    expect(await probe(app, makers)).toEqual([])
    // It grows with the application.
  }, 120_000)
})

describe('probe', () => {
  const found = async (table: Parameters<typeof routes>[1], base = '/posts') => {
    const resources = [{ repository: posts, routes: routes(base, table) }, { repository: users }]
    return probe(await testApp({ database, resources }), makers)
  }
  const remove: Handler = async (req, res) => {
    await posts.delete(record(req, Post, 'delete'))
    res.end()
  }
  const ok = (_req: unknown, res: { end: () => unknown }) => void res.end()

  it('finds a route that asks nobody', async () => {
    expect(await found({ 'GET /:id': [publicRoute(), load(Post), ok] })).toEqual([
      'GET /posts/:id as guest: got in, with 200',
      'GET /posts/:id as stranger: got in, with 200',
      'GET /posts/:id as owner: got in, with 200',
      'GET /posts/:id as admin: got in, with 200',
    ])
  })

  it('finds a form that asks nobody although its handler needs it', async () => {
    const blank = (req: Parameters<typeof record>[0]) => void record(req, Post, 'create')
    expect((await found({ 'GET /new': [secured(), blank] })).map((line) => line.split(': ')[1])).toEqual([
      'broke with 500',
      'broke with 500',
      'broke with 500',
    ])
  })

  it('asks below the parent that the record has', async () => {
    const below = load(Post, { below: { author_id: 'author' } })
    const table = { 'GET /:author/:id': [publicRoute(), below, authorize('show', Post), ok] } as const
    expect(await found(table, '/by')).toEqual([])
    const open = { 'GET /:author/:id': [publicRoute(), below, ok] } as const
    expect(await found(open, '/by')).toHaveLength(4)
  })

  it('finds a second decision that is not enforced, and takes both that are', async () => {
    const asking = [load(Post), authorize('show', Post), authorize('update', Post)] as const
    expect(await found({ 'GET /:id': [publicRoute(), ...asking, ok] })).toEqual([])
  })

  it('is not content with records that are not there', async () => {
    const table = { 'GET /:id': [publicRoute(), load(Post), ok] } as const
    const resources = [{ repository: posts, routes: routes('/posts', table) }]
    const app = await testApp({ database, resources })
    const nothing: Makers = { ...makers, Post: () => Promise.resolve({ id: 999_999 }) }
    await expect(probe(app, nothing)).rejects.toThrow('the maker of Post made nothing')
  })

  it('finds a write of a resource that asks nobody', async () => {
    expect(await found({ 'POST /': [secured(), ok] })).toHaveLength(3)
  })

  it('finds who is let in by a handler although the policy says no, and who is refused although it says yes', async () => {
    const refuseAll = (_req: unknown, res: { status: (code: number) => { end: () => unknown } }) =>
      void res.status(404).end()
    const asking = [load(Post), authorize('update', Post)] as const
    expect(await found({ 'PUT /:id': [publicRoute(), ...asking, refuseAll] })).toEqual([
      'PUT /posts/:id as owner: was refused with 404',
      'PUT /posts/:id as admin: was refused with 404',
    ])
  })

  it('finds a handler that takes what nobody decided on', async () => {
    const show = (req: Parameters<typeof record>[0]) => void record(req, Post, 'show')
    expect((await found({ 'GET /:id': [publicRoute(), load(Post), show] }))[0]).toBe(
      'GET /posts/:id as guest: broke with 500',
    )
  })

  it('takes the records of a seed where there is no maker', async () => {
    const asking = [load(Post), authorize('update', Post)] as const
    const table = {
      'PUT /:id': [publicRoute(), ...asking, ok],
      'DELETE /:id': [publicRoute(), load(Post), ok],
    } as const
    const resources = [
      { repository: posts, routes: routes('/posts', table), seed: seedPosts },
      { repository: users },
    ]
    const empty = await testDatabase()
    const surprises = await probe(await testApp({ database: empty, resources }), {
      '/account/sessions/:id': (owner) => sessionOf(owner, empty),
    })
    expect(surprises.map((surprise) => surprise.split(' ')[0])).toEqual(Array(4).fill('DELETE'))
  })

  it('seeds again what was deleted meanwhile', async () => {
    const table = {
      'DELETE /:id': [publicRoute(), load(Post), authorize('delete', Post), remove],
      'GET /:id': [publicRoute(), load(Post), authorize('show', Post), ok],
    } as const
    const one = async ([author_id = 0]: readonly number[]) =>
      void (await posts
        .asSystem('seed')
        .insert({ title: 'The only one', body: '', author_id, published: true }))
    const resources = [
      { repository: posts, routes: routes('/posts', table), seed: one },
      { repository: users },
    ]
    const empty = await testDatabase()
    expect(
      await probe(await testApp({ database: empty, resources }), {
        '/account/sessions/:id': (owner) => sessionOf(owner, empty),
      }),
    ).toEqual([])
  })

  it('says which records it can’t make', async () => {
    const elsewhere = { 'GET /:thing': [publicRoute(), ok] } as const
    await expect(
      probe(
        await testApp({
          database,
          resources: [{ repository: posts, routes: routes('/things', elsewhere) }],
        }),
        { '/account/sessions/:id': sessionOf },
      ),
    ).rejects.toThrow("GET /things/:thing: give the probe a maker of its records: { '/things/:thing'")
  })
})

/** A session of this user's in another browser. */
async function sessionOf({ id }: { id: number }, { db } = database): Promise<{ id: number }> {
  const values = { user_id: id, token_digest: randomBytes(8).toString('hex') }
  return db.insertInto('sessions').values(values).returning('id').executeTakeFirstOrThrow()
}
