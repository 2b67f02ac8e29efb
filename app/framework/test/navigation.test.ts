import { describe, expect, it } from 'vitest'
import { type Handler, publicRoute, routes, secured } from 'pergola'
import { makeNote, notes } from './fixtures/note.ts'
import { noteRoutes } from './fixtures/note.controller.ts'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'
import { userRoutes } from './fixtures/user.controller.ts'

const nothing: Handler = (_req, res) => void res.end()
const app = await testApp({
  resources: [
    { repository: notes, routes: { noteRoutes }, nav: 'Q & A' },
    { repository: users, routes: { userRoutes } },
    {
      repository: users,
      routes: { members: routes('/members', { 'GET /': [secured(), nothing] }) },
      nav: 'Members',
    },
    {
      repository: users,
      routes: { audit: routes('/audit', { 'GET /': [secured('admin'), nothing] }) },
      nav: 'Audit',
    },
    {
      repository: users,
      routes: { bins: routes('/bins', { 'GET /:id': [publicRoute(), nothing] }) },
      nav: 'Bins',
    },
  ],
})

describe('nav', () => {
  it('adds a link to every page, including the 404 page', async () => {
    for (const path of ['/', '/nowhere'])
      expect((await app.guest.get(path)).text).toMatch(
        /<a href="\/notes" aria-current="false">Q &amp; A<\/a>/,
      )
  })

  it('marks the link of the current page, and of the pages below it', async () => {
    expect((await app.guest.get('/notes')).text).toContain('<a href="/notes" aria-current="page">Q &amp; A')
    const { id } = await app.within(() => makeNote())
    expect((await app.guest.get(`/notes/${id}`)).text).toContain(
      '<a href="/notes" aria-current="true">Q &amp; A',
    )
  })

  it('shows a link only to users who can open its page', async () => {
    const [member, admin] = await Promise.all([app.newcomer(), app.newcomer({ roles: ['admin'] })])
    const pages = await Promise.all([app.guest, member, admin].map((client) => client.get('/nowhere')))
    expect(
      pages.map(({ text }) => text.match(/(?<=href="\/)(?:notes(?=" aria)|members|audit|bins)/g)),
    ).toEqual([['notes'], ['notes', 'members'], ['notes', 'members', 'audit']])
  })

  it('adds no link without a label', async () => {
    expect((await app.guest.get('/')).text).not.toContain('href="/users"')
  })
})
