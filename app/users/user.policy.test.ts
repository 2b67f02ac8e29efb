import { describe, expect, it } from 'vitest'
import { contextOf } from '#framework'
import { userPolicy } from './user.policy.ts'
import type { User } from './user.ts'

const person = (userId: number, roles: string[] = []) =>
  contextOf({ id: 'session', userId, name: 'Somebody', roles })
const [guest, alice, bob, admin] = [contextOf(null), person(1), person(2), person(3, ['admin'])]

const user: User = {
  id: 1,
  name: 'Alice',
  roles: [],
  disabled_at: null,
  created_at: '2026-04-27T12:00:00.123456Z',
}

describe('userPolicy', () => {
  const { canShow, canUpdate, canDelete, canAdminister } = userPolicy.rules

  it('shows everybody to everybody', () => {
    expect([guest, alice, bob, admin].map((ctx) => canShow(ctx, user))).toEqual([true, true, true, true])
  })

  it.each([
    ['change', canUpdate],
    ['delete', canDelete],
  ])('lets nobody but oneself %s a profile', (_, rule) => {
    expect([guest, alice, bob, admin].map((ctx) => rule(ctx, user))).toEqual([false, true, false, false])
  })

  it('lets admins administer', () => {
    expect([guest, alice, bob, admin].map((ctx) => canAdminister(ctx, user))).toEqual([
      false,
      false,
      false,
      true,
    ])
  })
})
