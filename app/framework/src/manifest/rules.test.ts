import { runInThisContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { inScope, policy, type PolicyContext } from 'pergola'
import { Note } from '../../test/fixtures/note.ts'
import { rulesAsked } from './guard-words.ts'
import { actionsOf } from '../policy/decide.ts'
import { rolesMentioned } from './rules.ts'

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

// Made from text, since vitest reformats the functions of a test file.
const rule = (text: string) => runInThisContext(`(${text}\n)`) as () => unknown

/** The forms whose text is no expression of its own, and those whose text is one. */
const FORMS = [
  ['an arrow function', `(ctx) => ctx.hasRole('editor')`],
  ['an async arrow function', `async (ctx) => ctx.hasRole('editor')`],
  ['a function', `function (ctx) { return ctx.hasRole('editor') }`],
  ['an async function', `async function show(ctx) { return ctx.hasRole('editor') }`],
  ['a method', `({ show(ctx) { return ctx.hasRole('editor') } }).show`],
  ['an async method', `({ async show(ctx) { return ctx.hasRole('editor') } }).show`],
  ['a generator method', `({ *show(ctx) { yield ctx.hasRole('editor') } }).show`],
  ['a method with a computed name', `({ ['x' + 1](ctx) { return ctx.hasRole('editor') } }).x1`],
  ['a method that is named async', `({ async(ctx) { return ctx.hasRole('editor') } }).async`],
  ['a getter', `Object.getOwnPropertyDescriptor({ get x() { return ctx.hasRole('editor') } }, 'x').get`],
  ['a method with super', `({ show(ctx) { return super.show ?? ctx.hasRole('editor') } }).show`],
  ['a private method', `new (class { #show(ctx) { return ctx.hasRole('editor') } x = this.#show })().x`],
] as const

describe('rolesMentioned', () => {
  it('reads the names of roles from the source of a rule', () => {
    expect(
      rolesMentioned((ctx: PolicyContext) => ctx.hasRole('editor' as never) || ctx.hasRole('admin')),
    ).toEqual(['admin', 'editor'])
    expect(rolesMentioned(({ roles }: PolicyContext) => roles.includes('root'))).toEqual(['root'])
    expect(rolesMentioned(() => true)).toEqual([])
  })

  it.each(FORMS)('reads %s', (_, text) => {
    expect(rolesMentioned(rule(text))).toEqual(['editor'])
  })

  it.each([
    `(ctx) => ctx?.hasRole?.('editor')`,
    `(ctx) => ctx['hasRole']('editor')`,
    '(ctx) => ctx.hasRole(`editor`)',
    `({ hasRole }) => hasRole('editor')`,
    `(ctx) => ctx.session?.roles?.includes('editor')`,
  ])('reads the call in %s', (text) => {
    expect(rolesMentioned(rule(text))).toEqual(['editor'])
  })

  it('marks a name that is not a literal', () => {
    expect(rolesMentioned((ctx: PolicyContext) => ctx.hasRole(ADMIN))).toEqual(['(not a literal)'])
    expect(rolesMentioned(rule(`(ctx) => ctx.hasRole('edit' + suffix)`))).toEqual(['(not a literal)'])
  })

  it('reads nothing in comments and strings, and nothing of a function without source', () => {
    expect(
      rolesMentioned(rule(`(ctx) => /* ctx.hasRole('editor') */ "hasRole('admin')" === ctx.name`)),
    ).toEqual([])
    expect(rolesMentioned(rule(`((ctx) => ctx.hasRole('editor')).bind(null)`))).toEqual([])
  })
})

describe('a rule of inScope', () => {
  it('is listed by rulesAsked as its own text, and a function as null', () => {
    const rules = policy(Note, { before: () => undefined, canShow: inScope() })
    expect(rulesAsked(rules, 'show').map(({ inScope: text }) => text)).toEqual([null, 'inScope()'])
  })
})
