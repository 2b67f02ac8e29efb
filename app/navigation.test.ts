import { describe, expect, it } from 'vitest'
import { type Handler, publicRoute, routes, secured } from 'pergola'
import { makePost } from '#app/posts/post.factory.ts'
import { posts } from '#app/posts/post.repository.ts'
import { postRoutes } from '#app/posts/post.controller.ts'
import { testApp } from '#app/test/test-app.ts'
import { users } from '#app/users/user.repository.ts'
import { userRoutes } from '#app/users/user.controller.ts'

const nothing: Handler = (_req, res) => void res.end()
const app = await testApp({
  resources: [
    { repository: posts, routes: postRoutes, nav: 'Q & A' },
    { repository: users, routes: userRoutes },
    { repository: users, routes: routes('/members', { 'GET /': [secured(), nothing] }), nav: 'Members' },
    { repository: users, routes: routes('/audit', { 'GET /': [secured('admin'), nothing] }), nav: 'Audit' },
    { repository: users, routes: routes('/bins', { 'GET /:id': [publicRoute(), nothing] }), nav: 'Bins' },
  ],
})

describe('nav', () => {
  it('makes a link on every page, also where nothing is found', async () => {
    for (const path of ['/', '/nowhere'])
      expect((await app.guest.get(path)).text).toMatch(
        /<a href="\/posts" aria-current="false">Q &amp; A<\/a>/,
      )
  })

  it('is marked where one is, and below', async () => {
    expect((await app.guest.get('/posts')).text).toContain('<a href="/posts" aria-current="page">Q &amp; A')
    const { id } = await app.within(() => makePost())
    expect((await app.guest.get(`/posts/${id}`)).text).toContain(
      '<a href="/posts" aria-current="true">Q &amp; A',
    )
  })

  it('shows a link to whoever may follow it', async () => {
    const [member, admin] = await Promise.all([app.newcomer(), app.newcomer({ roles: ['admin'] })])
    const pages = await Promise.all([app.guest, member, admin].map((client) => client.get('/nowhere')))
    expect(
      pages.map(({ text }) => text.match(/(?<=href="\/)(?:posts(?=" aria)|members|audit|bins)/g)),
    ).toEqual([['posts'], ['posts', 'members'], ['posts', 'members', 'audit']])
  })

  it('makes none without a word for it', async () => {
    expect((await app.guest.get('/')).text).not.toContain('href="/users"')
  })
})
