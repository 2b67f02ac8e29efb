import { runInThisContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { inScope, policy, type PolicyContext } from 'pergola'
import { Note } from '../../test/fixtures/note.ts'
import { rulesAsked } from './guard-words.ts'
import { actionsOf } from '../authorization/policy.ts'
import { callsByRule, digestsOf, rolesMentioned } from './rules.ts'

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

describe('digestsOf', () => {
  const digest = (text: string) => digestsOf({ rule: rule(text) })['rule']

  it('is short, and ignores formatting', () => {
    expect(digest('(ctx) => ctx.userId !== null')).toMatch(/^[0-9a-f]{12}$/)
    expect(digest('(ctx)=>\n\t\tctx.userId\r\n  !== null')).toBe(digest('(ctx) => ctx.userId !== null'))
  })

  it.each([
    [`(ctx) => /* everyone */ ctx.hasRole('editor')`, '(ctx) => ctx.hasRole("editor")'],
    [`(ctx) => ctx.hasRole('editor') // guests too`, `(ctx) => ctx.hasRole('editor')`],
    ['() => { return [1, 2]; }', '() => {\n  return [\n    1,\n    2,\n  ]\n}'],
  ])('ignores comments, quotes and semicolons: %j', (one, other) => {
    expect(digest(one)).toBe(digest(other))
  })

  it.each([
    ['(ctx) => ctx.userId === null', '(ctx) => ctx.userId !== null'],
    [`(post) => post.state === 'in print'`, `(post) => post.state === 'inprint'`],
    ['(post) => post.state === `in print`', '(post) => post.state === `inprint`'],
    ['(post) => /in print/.test(post.state)', '(post) => /inprint/.test(post.state)'],
    ['(post) => /print/.test(post.state)', '(post) => /print/i.test(post.state)'],
    ['(post) => post.id < 9', '(post) => post.id < 9n'],
    ['(post) => post.id < 1e999', '(post) => post.id < null'],
    ['(post) => (post?.author).id', '(post) => post?.author.id'],
    ['() => true', 'async () => true'],
  ])('changes with the code: %j', (one, other) => {
    expect(digest(one)).not.toBe(digest(other))
  })

  it.each([
    ['() => true // guest\n && false', '() => true // guest && false\n'],
    ['() => { return\n false }', '() => { return false }'],
  ])('differs if a line break changes the meaning: %j', (one, other) => {
    expect([rule(one)(), rule(other)()]).not.toEqual([rule(one)(), rule(one)()])
    expect(digest(one)).not.toBe(digest(other))
  })

  it.each(FORMS)('reads %s', (_, text) => {
    const reformatted = text.replace('ctx.hasRole(', 'ctx // a comment\n  . hasRole (')
    expect(digest(reformatted)).toBe(digest(text))
    expect(digest(text.replace('editor', 'admin'))).not.toBe(digest(text))
  })

  it('is the same for every function without source, which it names', () => {
    expect([digest('((ctx) => true).bind(null)'), digest('Array.isArray')]).toEqual([
      'no source',
      'no source',
    ])
  })

  it('is of the text if the text does not parse in strict mode', () => {
    const sloppy = 'function (ctx) { with (ctx) return userId }'
    expect(digest(sloppy)).toMatch(/^[0-9a-f]{12}$/)
    expect(digest(sloppy.replace('userId', 'name'))).not.toBe(digest(sloppy))
  })
})

describe('callsByRule', () => {
  const calls = (text: string) => callsByRule({ rule: rule(text) })

  it('names the functions and values outside of a rule', () => {
    expect(calls('(ctx, note) => isEditor(ctx) || LIMITS.open > note.id')).toEqual({
      rule: ['LIMITS.open', 'isEditor'],
    })
    expect(calls('(ctx, note) => ctx.owns(note.author_id)')).toEqual({})
  })

  it.each(FORMS)('reads %s', (_, text) => {
    expect(calls(text.replace(`'editor'`, 'ROLE'))['rule']).toContain('ROLE')
  })

  it('names the arguments of a function that created the rule', () => {
    expect(calls('((column) => (ctx, note) => ctx.owns(note[column]))("author_id")')).toEqual({
      rule: ['column'],
    })
  })

  it('returns a mark if the names are unknown', () => {
    const unknown = { rule: ['(unknown)'] }
    expect(calls('((ctx) => true).bind(null)')).toEqual(unknown)
    expect(calls('function (ctx) { with (ctx) return userId }')).toEqual(unknown)
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
    expect(rolesMentioned(rule(`(ctx) => ctx.hasRole('edit' + 'or')`))).toEqual(['(not a literal)'])
  })

  it('reads nothing in comments and strings, and nothing of a function without source', () => {
    expect(
      rolesMentioned(rule(`(ctx) => /* ctx.hasRole('editor') */ "hasRole('admin')" === ctx.name`)),
    ).toEqual([])
    expect(rolesMentioned(rule(`((ctx) => ctx.hasRole('editor')).bind(null)`))).toEqual([])
  })
})

describe('a rule of inScope', () => {
  const rulesOf = (...variant: unknown[]) => policy(Note, { canShow: inScope(...variant) as never }).rules

  it('is listed as its own text, with its variant', () => {
    expect(callsByRule(rulesOf())).toEqual({ canShow: ['inScope()'] })
    expect(callsByRule(rulesOf('by', { author: 7, at: ['a'] }))).toEqual({
      canShow: ["inScope('by', { at: [ 'a' ], author: 7 })"],
    })
  })

  it('is listed by rulesAsked as its own text, and a function as null', () => {
    const rules = policy(Note, { before: () => undefined, canShow: inScope() })
    expect(rulesAsked(rules, 'show').map(({ inScope: text }) => text)).toEqual([null, 'inScope()'])
  })

  it('has a digest that changes with the variant and its parameters', () => {
    const digests = [[], ['mine'], ['by', { author: 7 }], ['by', { author: 8 }]].map(
      (variant) => digestsOf(rulesOf(...variant))['canShow'],
    )
    expect(new Set(digests).size).toBe(4)
    expect(digests[0]).toMatch(/^[0-9a-f]{12}$/)
    expect(digestsOf(rulesOf('mine'))).toEqual(digestsOf(rulesOf('mine')))
  })
})
