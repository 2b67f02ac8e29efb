import { describe, expect, it } from 'vitest'
import { policy, type PolicyContext } from '#framework'
import { Post } from '#app/posts/post.ts'
import { rulesAsked } from './guard-words.ts'
import { actionsOf, rolesMentioned } from './rules.ts'

const ADMIN = 'admin'
const made = policy(Post, {
  before: () => undefined,
  canBecome: () => true,
  canShow: () => true,
  canPublishLater: () => true,
})

describe('actionsOf', () => {
  it('names what can be asked for, and neither `before` nor `canBecome`', () => {
    expect(actionsOf(made)).toEqual(['publishLater', 'show'])
  })
})

describe('rulesAsked', () => {
  it('puts `before` first, and asks nobody where the action has no rule', () => {
    const keys = (action: string) => rulesAsked(made, action).map(({ key }) => key)
    expect([keys('show'), keys('publishLater')]).toEqual([
      ['before', 'canShow'],
      ['before', 'canPublishLater'],
    ])
    expect([keys('delete'), keys('become'), keys('constructor')]).toEqual([[], [], []])
  })
})

describe('rolesMentioned', () => {
  it('reads the names of roles from the source of a rule', () => {
    expect(rolesMentioned((ctx: PolicyContext) => ctx.hasRole('editor') || ctx.hasRole('admin'))).toEqual([
      'admin',
      'editor',
    ])
    expect(rolesMentioned(({ roles }: PolicyContext) => roles.includes('root'))).toEqual(['root'])
    expect(rolesMentioned(() => true)).toEqual([])
  })

  it('says so where a name is no literal', () => {
    expect(rolesMentioned((ctx: PolicyContext) => ctx.hasRole(ADMIN))).toEqual(['(not a literal)'])
  })
})
