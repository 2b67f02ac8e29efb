import { beforeEach, describe, expect, it } from 'vitest'
import { runTask } from 'pergola/tasks'
import { withDatabase } from 'pergola'
import { testApp } from '#app/test/test-app.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'
import { makePost } from '../post.factory.ts'
import { posts } from '../post.repository.ts'
import { recountPosts } from './recount-posts.ts'

const app = await testApp()
const [writer, reader, adminUser] = await app.within(() =>
  Promise.all([makeUser(), makeUser(), makeUser({ roles: ['admin'] })]),
)
await app.within(() => makePost({ author_id: writer.id, created_at: '2025-01-01T00:00:00.000000Z' }))
await app.within(() => makePost({ author_id: writer.id, created_at: '2026-01-01T00:00:00.000000Z' }))
const admin = await app.signInAs(adminUser.email)

const output: string[] = []
beforeEach(() => (output.length = 0))
const recount = (args: object = {}, dryRun = false) =>
  runTask(app.db, recountPosts, {
    args,
    dryRun,
    resume: false,
    starter: { started_by: 'a test', host: 'here', pid: process.pid },
    leaseSeconds: 30,
    signal: new AbortController().signal,
    output: { say: (line) => output.push(line), warn: () => {}, progress: () => {} },
  })
const stored = (id: number) => withDatabase(app.db, () => users.asSystem('test').find(id))
const setCount = (id: number, posts_count: number) =>
  app.within(() => users.asSystem('test').update(id, { posts_count }))

describe('recount-posts', () => {
  it('corrects wrong counts, and doesn’t change the versions of other users', async () => {
    const [before, other] = [await stored(writer.id), await stored(reader.id)]
    expect(await recount({}, true)).toMatchObject({ outcome: 'done' })
    expect(output).toEqual(['Would correct the count of 1 user.'])
    expect(await stored(writer.id)).toEqual(before)
    expect(await recount()).toMatchObject({ outcome: 'done' })
    expect(await stored(writer.id)).toEqual({
      ...before,
      posts_count: 2,
      version: (before?.version ?? 0) + 1,
    })
    expect(await stored(reader.id)).toEqual(other)
  })

  it('counts published posts only, and the feed shows the count', async () => {
    const draft = await app.within(() => makePost({ author_id: writer.id, published: false }))
    await recount()
    expect((await app.guest.get('/feed')).text).toContain('Test User (2 posts)')
    await app.within(() => posts.asSystem('test').delete(draft.id))
  })

  it('shows no count before the first run', async () => {
    await setCount(writer.id, 0)
    const { text } = await app.guest.get('/feed')
    expect(text).toContain('Test User · <time')
    expect(text).not.toContain('0 posts')
  })

  it('updates only users with a post since the given day', async () => {
    await setCount(writer.id, 0)
    await recount({ since: '2026-06-01' })
    expect((await stored(writer.id))?.posts_count).toBe(0)
    await recount({ since: '2026-01-01' })
    expect((await stored(writer.id))?.posts_count).toBe(2)
  })

  it('causes a conflict in a form with the old version, which can be saved again', async () => {
    await setCount(writer.id, 0)
    const version = (await stored(writer.id))?.version
    await recount()
    const form = { _method: 'PUT', _version: String(version), admin: 'on' }
    expect((await admin.post(`/users/${writer.id}/roles`, { form })).status).toBe(409)
    // The form is shown again with the current version, so the second attempt succeeds.
    const again = { ...form, _version: String((await stored(writer.id))?.version) }
    expect((await admin.post(`/users/${writer.id}/roles`, { form: again })).status).toBe(303)
    expect(await stored(writer.id)).toMatchObject({ roles: ['admin'], posts_count: 2 })
  })
})
