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

describe('digestsOf', () => {
  // Made from text, since a function in a test file is laid out anew before it runs.
  const rule = (text: string) => runInThisContext(`(${text}\n)`) as () => unknown
  const digest = (text: string) => digestsOf({ rule: rule(text) })['rule']

  it('is short, and the same however a rule is laid out', () => {
    expect(digest('(ctx) => ctx.userId !== null')).toMatch(/^[0-9a-f]{12}$/)
    expect(digest('(ctx)=>\n\t\tctx.userId\r\n  !== null')).toBe(digest('(ctx) => ctx.userId !== null'))
  })

  it('is another one for another text', () => {
    expect(digest('(ctx) => ctx.userId === null')).not.toBe(digest('(ctx) => ctx.userId !== null'))
  })

  it.each([
    ['() => true // whoever\n && false', '() => true // whoever && false\n'],
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

  it('says so where a name is no literal', () => {
    expect(rolesMentioned((ctx: PolicyContext) => ctx.hasRole(ADMIN))).toEqual(['(not a literal)'])
  })
})
