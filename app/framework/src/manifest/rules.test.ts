import { runInThisContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { policy, type PolicyContext } from 'pergola'
import { Note } from '../../test/fixtures/note.ts'
import { rulesAsked } from './guard-words.ts'
import { actionsOf } from '../authorization/policy.ts'
import { digestsOf, rolesMentioned } from './rules.ts'

const ADMIN = 'admin'
const made = policy(Note, {
  before: () => undefined,
  canBecome: () => true,
  canShow: () => true,
  canPublishLater: () => true,
})

describe('actionsOf', () => {
  it('returns the actions, without `before` and `canBecome`', () => {
    expect(actionsOf(made)).toEqual(['publishLater', 'show'])
  })
})

describe('rulesAsked', () => {
  it('returns `before` first, and nothing for an action without a rule', () => {
    const keys = (action: string) => rulesAsked(made, action).map(({ key }) => key)
    expect([keys('show'), keys('publishLater')]).toEqual([
      ['before', 'canShow'],
      ['before', 'canPublishLater'],
    ])
    expect([keys('delete'), keys('become'), keys('constructor')]).toEqual([[], [], []])
  })
})

describe('digestsOf', () => {
  // Made from text, since vitest reformats the functions of a test file.
  const rule = (text: string) => runInThisContext(`(${text}\n)`) as () => unknown
  const digest = (text: string) => digestsOf({ rule: rule(text) })['rule']

  it('is short, and ignores formatting', () => {
    expect(digest('(ctx) => ctx.userId !== null')).toMatch(/^[0-9a-f]{12}$/)
    expect(digest('(ctx)=>\n\t\tctx.userId\r\n  !== null')).toBe(digest('(ctx) => ctx.userId !== null'))
  })

  it('changes with the text', () => {
    expect(digest('(ctx) => ctx.userId === null')).not.toBe(digest('(ctx) => ctx.userId !== null'))
  })

  it.each([
    ['() => true // guest\n && false', '() => true // guest && false\n'],
    ['() => { return\n false }', '() => { return false }'],
  ])('is another one where the end of a line matters: %j', (one, other) => {
    expect([rule(one)(), rule(other)()]).not.toEqual([rule(one)(), rule(one)()])
    expect(digest(one)).not.toBe(digest(other))
  })
})

describe('rolesMentioned', () => {
  it('reads the names of roles from the source of a rule', () => {
    expect(
      rolesMentioned((ctx: PolicyContext) => ctx.hasRole('editor' as never) || ctx.hasRole('admin')),
    ).toEqual(['admin', 'editor'])
    expect(rolesMentioned(({ roles }: PolicyContext) => roles.includes('root'))).toEqual(['root'])
    expect(rolesMentioned(() => true)).toEqual([])
  })

  it('marks a name that is not a literal', () => {
    expect(rolesMentioned((ctx: PolicyContext) => ctx.hasRole(ADMIN))).toEqual(['(not a literal)'])
  })
})
