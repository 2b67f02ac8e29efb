import { describe, expect, it } from 'vitest'
import { authorizeRecord, type Handler, policyContext, routes, secured } from 'pergola'
import { makePost } from '#app/posts/post.factory.ts'
import { posts } from '#app/posts/post.repository.ts'
import { Post } from '#app/posts/post.ts'
import { testApp } from '#app/test/test-app.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'

/** Marks every post that the caller may see, and may change. */
const mark: Handler = async (req, res) => {
  for await (const post of posts.visibleTo(await policyContext(req)).findEach(2))
    await posts.update(await authorizeRecord(req, 'update', Post, post), { title: 'Marked' })
  res.end()
}
const markUndecided: Handler = async (req) => {
  for await (const post of posts.visibleTo(await policyContext(req)).findEach(2))
    await posts.update(post as never, { title: 'Stolen' })
}

const marking = routes('/marking', {
  'POST /': [secured(), mark],
  'POST /undecided': [secured(), markUndecided],
})
const app = await testApp({ resources: [{ repository: posts, routes: marking }, { repository: users }] })
const bob = await app.within(() => makeUser())
const client = await app.signInAs(bob.email)

describe('a row of a walk', () => {
  it('is loaded afresh to be decided on, and written then', async () => {
    const made = await app.within(() =>
      Promise.all([1, 2, 3].map(() => makePost({ author_id: bob.id, published: false }))),
    )
    app.statements.length = 0
    expect((await client.post('/marking')).status).toBe(200)
    const titles = await app.within(() => Promise.all(made.map(({ id }) => posts.find(id))))
    expect(titles.map((post) => post?.title)).toEqual(['Marked', 'Marked', 'Marked'])
  })

  it('is not written when nobody decided', async () => {
    app.statements.length = 0
    expect((await client.post('/marking/undecided')).status).toBe(500)
    expect(app.statements.filter((text) => text.startsWith('update "posts"'))).toEqual([])
  })

  it('of somebody else is refused like one that isn’t there', async () => {
    const { id } = await app.within(() => makePost())
    expect((await client.post('/marking')).status).toBe(404)
    expect((await app.within(() => posts.find(id)))?.title).not.toBe('Marked')
  })
})
