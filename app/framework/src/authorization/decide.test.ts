import { describe, expect, it } from 'vitest'
import type { Resource } from '../resource/resource.ts'
import { decide, decideBecome } from './decide.ts'
import { deny } from './deny.ts'
import { contextOf } from './policy-context.ts'
import { type AnyPolicy, policy } from './policy.ts'

const thing = { name: 'Thing' } as Resource
const ctx = contextOf(null)

const policiesOf = (rules: object) =>
  new Map([[thing, { resource: thing, rules, declaredAt: '' } as unknown as AnyPolicy]])

/** The decision on 'show' by a policy whose rule gives this answer, typed or not. */
const decided = (canShow: unknown, action = 'show') =>
  decide(policiesOf({ canShow }), ctx, { action, resource: thing, record: {} })

const rejected = () => Promise.reject(new Error('The rule broke.'))
const thrown = () => {
  throw new Error('The rule broke.')
}

describe('decide', () => {
  it('allows when the rule answers true, now or later', async () => {
    expect(await decided(() => true)).toEqual({ allowed: true, cause: 'allowed' })
    expect(await decided(() => Promise.resolve(true))).toEqual({ allowed: true, cause: 'allowed' })
  })

  it('denies when the rule answers false', async () => {
    expect(await decided(() => false)).toEqual({ allowed: false, cause: 'denied' })
  })

  it.each([
    [1],
    ['yes'],
    [{}],
    [[]],
    [Object(true)],
    [undefined],
    [null],
    [{ allowed: true }],
    [Promise.resolve(1)],
  ])('denies when the rule answers %o', async (answer) => {
    expect(await decided(() => answer)).toEqual({ allowed: false, cause: 'invalid_result' })
  })

  it('denies when the rule throws or rejects, and keeps the error for the log', async () => {
    for (const rule of [thrown, rejected]) {
      expect(await decided(rule)).toMatchObject({
        allowed: false,
        cause: 'error',
        error: { message: 'The rule broke.' },
      })
    }
  })

  it.each([[null], [undefined], ['a sentence'], [Object.assign(new Error('x'), { status: 200 })]])(
    'denies when the rule throws %o',
    async (thing) => {
      const rule = () => {
        throw thing
      }
      expect(await decided(rule)).toMatchObject({ allowed: false, cause: 'error' })
    },
  )

  it('denies an action nobody wrote, also one that every object has', async () => {
    for (const action of ['publish', 'constructor', '', '__proto__']) {
      expect(await decided(() => true, action)).toEqual({ allowed: false, cause: 'no_action' })
    }
  })

  it('denies an action that the rules only inherit', async () => {
    const rules = Object.create({ canShow: () => true }) as AnyPolicy['rules']
    const question = { action: 'show', resource: thing, record: {} }
    expect(
      await decide(new Map([[thing, { resource: thing, rules, declaredAt: '' }]]), ctx, question),
    ).toMatchObject({
      cause: 'no_action',
    })
  })

  it('denies an action under another name', async () => {
    const rules = { canShow: () => true, canBecome: () => true }
    for (const action of ['Show', 'Become', ' show']) {
      const question = { action, resource: thing, record: {} }
      expect(await decide(policiesOf(rules), ctx, question)).toEqual({ allowed: false, cause: 'no_action' })
    }
  })

  it('denies when the resource has no policy', async () => {
    const question = { action: 'show', resource: thing, record: {} }
    expect(await decide(new Map(), ctx, question)).toEqual({ allowed: false, cause: 'no_policy' })
  })
})

describe('decide, with a reason', () => {
  it('denies, and keeps the reason', async () => {
    const denial = deny('locked', 'It is locked.')
    expect(await decided(() => denial)).toEqual({ allowed: false, cause: 'denied', denial })
  })

  it('takes only what deny() made for a reason', async () => {
    expect(await decided(() => ({ reason: 'locked', sentence: undefined }))).toMatchObject({
      cause: 'invalid_result',
    })
  })

  it.each(['', 'Locked', 'is locked', '<b>', 'x\ny'])('has a word for a reason, not %j', async (reason) => {
    expect(() => deny(reason)).toThrow('a reason is a word')
  })
})

describe('before', () => {
  const withBefore = (before: unknown, rule: () => unknown = () => true, action = 'show') =>
    decide(policiesOf({ before, canShow: rule }), ctx, { action, resource: thing, record: {} })
  const never = () => {
    throw new Error('This must not be asked.')
  }

  it('decides with true and false without the rule, and leaves it to the rule with undefined', async () => {
    expect(await withBefore(() => true, never)).toMatchObject({ allowed: true })
    expect(await withBefore(() => Promise.resolve(true), never)).toMatchObject({ allowed: true })
    expect(await withBefore(() => false, never)).toMatchObject({ allowed: false, cause: 'denied' })
    expect(await withBefore(() => deny('closed'), never)).toMatchObject({ denial: { reason: 'closed' } })
    expect(await withBefore(() => undefined)).toMatchObject({ allowed: true })
    expect(await withBefore(async () => {})).toMatchObject({ allowed: true })
  })

  it.each([[1], ['yes'], [null], [{}], [Promise.resolve(1)]])('denies when it answers %o', async (answer) => {
    expect(await withBefore(() => answer, never)).toEqual({ allowed: false, cause: 'invalid_result' })
  })

  it('denies when it throws', async () => {
    expect(await withBefore(thrown)).toMatchObject({ allowed: false, cause: 'error' })
  })

  it('is told the action, and allows none that the policy didn’t write', async () => {
    const asked: unknown[] = []
    const before = (...given: unknown[]) => asked.push(given) > 0
    expect(await withBefore(before, never)).toMatchObject({ allowed: true })
    for (const action of ['publish', 'before', 'become', '']) {
      expect(await withBefore(before, never, action)).toMatchObject({ allowed: false, cause: 'no_action' })
    }
    expect(asked).toEqual([[ctx, 'show', {}]])
  })
})

describe('decideBecome', () => {
  it('is no action that somebody could be authorized for', async () => {
    const question = { action: 'become', resource: thing, record: {} }
    const rules = { canBecome: () => true, before: () => true }
    expect(await decide(policiesOf(rules), ctx, question)).toEqual({ allowed: false, cause: 'no_action' })
  })

  const becoming = (rules: object) =>
    decideBecome(policiesOf(rules), ctx, { resource: thing, before: { a: 1 }, after: { a: 2 } })

  it('is asked with both, and answers as strictly as any rule', async () => {
    const asked: unknown[] = []
    const canBecome = (...given: unknown[]) => asked.push(given) > 0
    expect(await becoming({ canBecome })).toMatchObject({ allowed: true })
    expect(asked).toEqual([[ctx, { a: 1 }, { a: 2 }]])
    for (const answer of [false, undefined, 1, Promise.resolve('yes')]) {
      expect(await becoming({ canBecome: () => answer })).toMatchObject({ allowed: false })
    }
    expect(await becoming({ canBecome: rejected })).toMatchObject({ allowed: false, cause: 'error' })
  })

  it('is not lifted by before, is null without the rule, and no without a policy', async () => {
    expect(await becoming({ before: () => true, canBecome: () => false })).toMatchObject({ allowed: false })
    expect(await becoming({ before: () => true })).toBeNull()
    const change = { resource: thing, before: {}, after: {} }
    expect(await decideBecome(new Map(), ctx, change)).toMatchObject({ allowed: false, cause: 'no_policy' })
  })
})

describe('a caller who went away', () => {
  const hanging = () => new Promise(() => {})
  const leaving = new AbortController()
  const gone = contextOf(null, { signal: leaving.signal })
  const ask = (rule: unknown) =>
    decide(policiesOf({ canShow: rule }), gone, { action: 'show', resource: thing, record: {} })

  it('is denied, and waits for no rule that hangs', async () => {
    const decisions = Promise.all(Array.from({ length: 20 }, () => ask(hanging)))
    leaving.abort()
    expect(await decisions).toEqual(Array.from({ length: 20 }, () => ({ allowed: false, cause: 'aborted' })))
    expect(await ask(() => true)).toEqual({ allowed: false, cause: 'aborted' })
  })
})

describe('policy', () => {
  it('refuses a rule that is no function, and an answer to denials that is none', () => {
    expect(() => policy(thing, { canShow: true as never })).toThrow('Thing: canShow is no function')
    expect(() => policy(thing, {}, { forbiddenResponse: '401' as never })).toThrow('legal are 404, 403, auto')
  })
})
