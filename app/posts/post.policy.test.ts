import { describe, expect, it } from 'vitest'
import { contextOf } from '#framework'
import { postPolicy } from './post.policy.ts'
import type { Post } from './post.ts'

const person = (userId: number, roles: string[] = []) =>
  contextOf({ id: 'session', userId, name: 'Somebody', roles })
const [guest, alice, bob, admin] = [contextOf(null), person(1), person(2), person(3, ['admin'])]

const post: Post = {
  id: 7,
  title: 'Pruning',
  body: 'In March.',
  published: true,
  author_id: 1,
  created_at: '2026-04-27T12:00:00.123456Z',
}
const draft: Post = { ...post, published: false }

describe('postPolicy', () => {
  const { canShow, canCreate, canUpdate, canDelete } = postPolicy.rules

  it('shows a published post to everybody', () => {
    expect([guest, alice, bob, admin].map((ctx) => canShow(ctx, post))).toEqual([true, true, true, true])
  })

  it('shows a draft to its author and to admins', () => {
    expect([guest, alice, bob, admin].map((ctx) => canShow(ctx, draft))).toEqual([false, true, false, true])
  })

  it('lets who is signed in write posts', () => {
    expect([guest, alice, bob, admin].map((ctx) => canCreate(ctx, {}))).toEqual([false, true, true, true])
  })

  it.each([
    ['change', canUpdate],
    ['delete', canDelete],
  ])('lets the author and admins %s a post', (_, rule) => {
    expect([guest, alice, bob, admin].map((ctx) => rule(ctx, post))).toEqual([false, true, false, true])
    expect([guest, alice, bob, admin].map((ctx) => rule(ctx, draft))).toEqual([false, true, false, true])
  })
})
