import { describe, expect, it } from 'vitest'
import type { CursorPage } from 'pergola'
import { testApp } from '#app/test/test-app.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { makePost } from '../post.factory.ts'
import type { Post } from '../post.ts'

const app = await testApp()
const author = await app.within(() => makeUser({ name: 'Ada Author', roles: ['admin'] }))
const ada = await app.signInAs(author.email)
const ids = await app.within(async () => {
  const created: number[] = []
  for (let count = 0; count < 5; count++) created.unshift((await makePost({ author_id: author.id })).id)
  return created
})
const draft = await app.within(() => makePost({ author_id: author.id, published: false }))

const shown = (text: string) => [...text.matchAll(/href="\/posts\/(\d+)"/g)].map(([, id]) => Number(id))
const nextIn = (text: string) =>
  /href="(\/feed[^"]*cursor=[\w-]+[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')

describe.each(['/feed', '/feed/scroll'])('GET %s', (path) => {
  it('shows published posts, newest first, with a link to the next page', async () => {
    const one = (await app.guest.get(`${path}?size=3`)).text
    expect(shown(one)).toEqual(ids.slice(0, 3))
    const two = (await app.guest.get(nextIn(one) ?? '')).text
    expect(shown(two)).toEqual(ids.slice(3))
    expect(two).toContain('Ada Author')
    expect(two).not.toContain(author.email)
  })

  it('shows no drafts, not even to their author or admins', async () => {
    expect(shown((await ada.get(`${path}?size=100`)).text)).toEqual(ids)
    expect(ids).not.toContain(draft.id)
  })

  it('shows the first page for an invalid cursor or the cursor of another list', async () => {
    const { next_cursor } = (await app.guest.get('/api/posts?cursor=&size=2')).json() as CursorPage<Post>
    for (const cursor of ['x', '%00', 'bnVsbA', next_cursor]) {
      const { status, text } = await app.guest.get(`${path}?size=2&cursor=${cursor}`)
      expect([cursor, status, shown(text)]).toEqual([cursor, 200, ids.slice(0, 2)])
    }
  })
})
