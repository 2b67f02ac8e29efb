import { describe, expect, it } from 'vitest'
import { scope } from 'pergola'
import { makePost } from '#app/posts/post.factory.ts'
import { Post } from '#app/posts/post.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { expectParity, testDatabase } from 'pergola/testing'
import { testApp } from './test-app.ts'

const database = await testDatabase()
const withScope = (where: Parameters<typeof scope<typeof Post>>[1]['where']) =>
  testApp({ database, scopes: [[Post, scope(Post, { where })]] })
const app = await testApp({ database })
const alice = await app.within(() => makeUser({ name: 'Alice' }))
const draft = await app.within(() => makePost({ author_id: alice.id, published: false }))

describe('expectParity', () => {
  it('fails where nobody sees some rows and not others', async () => {
    const degenerate = await testApp()
    await degenerate.within(() => makePost())
    await expect(expectParity(degenerate, Post)).rejects.toThrow(
      'somebody sees some of the 1 rows and not others',
    )
  })

  it('fails where a list shows what the policy denies, and says to whom', async () => {
    await app.within(() => makePost({ author_id: alice.id }))
    await expectParity(app, Post)
    const leaking = await withScope((_ctx, is) => is.lit(true))
    await expect(expectParity(leaking, Post)).rejects.toThrow(`a guest: Post ${draft.id}`)
  })

  it('fails where a list leaves out what the policy shows, unless that is meant', async () => {
    const narrow = await withScope((_ctx, is) => is('published', '=', true))
    await expect(expectParity(narrow, Post)).rejects.toThrow(`Alice: Post ${draft.id}`)
    await expectParity(narrow, Post, { unlisted: true })
  })
})
