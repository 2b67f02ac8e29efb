import { describe, expect, it } from 'vitest'
import { contextOf } from './policy-context.ts'

const alice = contextOf({ id: 's', userId: 1, name: 'Alice', roles: ['editor'] })

describe('contextOf', () => {
  it('has the roles of the session only', () => {
    expect([
      alice.hasRole('editor' as never),
      alice.hasRole('admin' as never),
      contextOf(null).hasRole('editor' as never),
    ]).toEqual([true, false, false])
  })

  it('owns rows by the user id, and owns no row for a guest, not even one without an owner', () => {
    expect([alice.owns(1), alice.owns(2), alice.owns(null)]).toEqual([true, false, false])
    expect([contextOf(null).owns(1), contextOf(null).owns(null), contextOf(null).owns(undefined)]).toEqual([
      false,
      false,
      false,
    ])
  })

  it('cannot be changed by a rule', () => {
    expect(() => Object.assign(alice, { userId: 2 })).toThrow(TypeError)
    expect(() => (alice.roles as string[]).push('admin')).toThrow(TypeError)
  })
})
