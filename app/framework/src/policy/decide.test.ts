import { describe, expect, it, vi } from 'vitest'
import type { Resource } from '../resource/resource.ts'
import { decide, decideChange } from './decide.ts'
import { policy } from './policy.ts'
import { deny } from './denial.ts'
import { contextOf } from './policy-context.ts'
import type { AnyPolicy } from './authorization-types.ts'

const thing = { name: 'Thing', tenant: null } as Resource
const ctx = contextOf(null)

const policiesOf = (rules: object) =>
  new Map([[thing, { resource: thing, rules, declaredAt: '' } as unknown as AnyPolicy]])

/** Returns the decision on `show` of a policy with this rule, which may have the wrong type. */
const decided = (canShow: unknown, action = 'show') =>
  decide(policiesOf({ canShow }), ctx, { action, resource: thing, record: {} })

const rejected = () => Promise.reject(new Error('The rule broke.'))
const thrown = () => {
  throw new Error('The rule broke.')
}

describe('decide', () => {
  it('allows if the rule returns true, or a promise of true', async () => {
    expect(await decided(() => true)).toEqual({ allowed: true, cause: 'allowed' })
    expect(await decided(() => Promise.resolve(true))).toMatchObject({ allowed: true, cause: 'allowed' })
  })

  it('returns no promise for a rule that returns none', () => {
    expect(decided(() => true)).toEqual({ allowed: true, cause: 'allowed' })
    expect(decided(thrown)).toMatchObject({ allowed: false, cause: 'error' })
    expect(decided(() => Promise.resolve(true))).toBeInstanceOf(Promise)
  })

  it('denies if the rule returns false', async () => {
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
  ])('denies if the rule returns %o', async (answer) => {
    expect(await decided(() => answer)).toEqual({ allowed: false, cause: 'invalid_result' })
  })

  it('denies if the rule throws or rejects, and returns the error', async () => {
    for (const rule of [thrown, rejected]) {
      expect(await decided(rule)).toMatchObject({
        allowed: false,
        cause: 'error',
        error: { message: 'The rule broke.' },
      })
    }
  })

  it.each([[null], [undefined], ['a sentence'], [Object.assign(new Error('x'), { status: 200 })]])(
    'denies if the rule throws %o',
    async (thing) => {
      const rule = () => {
        throw thing
      }
      expect(await decided(rule)).toMatchObject({ allowed: false, cause: 'error' })
    },
  )

  it('denies an action without a rule, including the names of Object.prototype', async () => {
    for (const action of ['publish', 'constructor', '', '__proto__']) {
      expect(await decided(() => true, action)).toEqual({ allowed: false, cause: 'no_action' })
    }
  })

  it('denies an action whose rule is inherited', async () => {
    const rules = Object.create({ canShow: () => true }) as AnyPolicy['rules']
    const question = { action: 'show', resource: thing, record: {} }
    expect(
      await decide(new Map([[thing, { resource: thing, rules, declaredAt: '' }]]), ctx, question),
    ).toMatchObject({
      cause: 'no_action',
    })
  })

  it('denies other spellings of an action', async () => {
    const rules = { canShow: () => true, canBecome: () => true }
    for (const action of ['Show', 'Become', ' show']) {
      const question = { action, resource: thing, record: {} }
      expect(await decide(policiesOf(rules), ctx, question)).toEqual({ allowed: false, cause: 'no_action' })
    }
  })

  it('denies if the resource has no policy', async () => {
    const question = { action: 'show', resource: thing, record: {} }
    expect(await decide(new Map(), ctx, question)).toEqual({ allowed: false, cause: 'no_policy' })
  })
})

describe('decide with a reason', () => {
  it('denies with the reason of the rule', async () => {
    const denial = deny('locked', 'It is locked.')
    expect(await decided(() => denial)).toEqual({ allowed: false, cause: 'denied', denial })
  })

  it("rejects an object that deny() didn't return", async () => {
    expect(await decided(() => ({ reason: 'locked', sentence: undefined }))).toMatchObject({
      cause: 'invalid_result',
    })
  })

  it.each(['', 'Locked', 'is locked', '<b>', 'x\ny'])('throws for the reason %j', async (reason) => {
    expect(() => deny(reason)).toThrow('a reason is a word')
  })
})

describe('before', () => {
  const withBefore = (before: unknown, rule: () => unknown = () => true, action = 'show') =>
    decide(policiesOf({ before, canShow: rule }), ctx, { action, resource: thing, record: {} })
  const never = () => {
    throw new Error('This must not be called.')
  }

  it('decides with true and false, and leaves the decision to the rule with undefined', async () => {
    expect(await withBefore(() => true, never)).toMatchObject({ allowed: true })
    expect(await withBefore(() => Promise.resolve(true), never)).toMatchObject({ allowed: true })
    expect(await withBefore(() => false, never)).toMatchObject({ allowed: false, cause: 'denied' })
    expect(await withBefore(() => deny('closed'), never)).toMatchObject({ denial: { reason: 'closed' } })
    expect(await withBefore(() => undefined)).toMatchObject({ allowed: true })
    expect(await withBefore(async () => {})).toMatchObject({ allowed: true })
  })

  it.each([[1], ['yes'], [null], [{}], [Promise.resolve(1)]])('denies if it returns %o', async (answer) => {
    expect(await withBefore(() => answer, never)).toEqual({ allowed: false, cause: 'invalid_result' })
  })

  it('denies if it throws', async () => {
    expect(await withBefore(thrown)).toMatchObject({ allowed: false, cause: 'error' })
  })

  it('receives the action, and allows no action without a rule', async () => {
    const calls: unknown[] = []
    const before = (...args: unknown[]) => calls.push(args) > 0
    expect(await withBefore(before, never)).toMatchObject({ allowed: true })
    for (const action of ['publish', 'before', 'become', '']) {
      expect(await withBefore(before, never, action)).toMatchObject({ allowed: false, cause: 'no_action' })
    }
    expect(calls).toEqual([[ctx, 'show', {}]])
  })
})

describe('decideChange', () => {
  it('is not available as an action', async () => {
    const question = { action: 'become', resource: thing, record: {} }
    const rules = { canBecome: () => true, before: () => true }
    expect(await decide(policiesOf(rules), ctx, question)).toEqual({ allowed: false, cause: 'no_action' })
  })

  const becoming = (rules: object) =>
    decideChange(policiesOf(rules), ctx, { resource: thing, before: { a: 1 }, after: { a: 2 } })

  it('calls canBecome with both rows, and allows only true', async () => {
    const calls: unknown[] = []
    const canBecome = (...args: unknown[]) => calls.push(args) > 0
    expect(await becoming({ canBecome })).toMatchObject({ allowed: true })
    expect(calls).toEqual([[ctx, { a: 1 }, { a: 2 }]])
    for (const answer of [false, undefined, 1, Promise.resolve('yes')]) {
      expect(await becoming({ canBecome: () => answer })).toMatchObject({ allowed: false })
    }
    expect(await becoming({ canBecome: rejected })).toMatchObject({ allowed: false, cause: 'error' })
  })

  it('ignores before, returns null without canBecome, and denies without a policy', async () => {
    expect(await becoming({ before: () => true, canBecome: () => false })).toMatchObject({ allowed: false })
    expect(await becoming({ before: () => true })).toBeNull()
    const change = { resource: thing, before: {}, after: {} }
    expect(await decideChange(new Map(), ctx, change)).toMatchObject({ allowed: false, cause: 'no_policy' })
  })
})

describe('a client that disconnects', () => {
  const hanging = () => new Promise(() => {})
  const leaving = new AbortController()
  const gone = contextOf(null, { signal: leaving.signal })
  const ask = (rule: unknown) =>
    decide(policiesOf({ canShow: rule }), gone, { action: 'show', resource: thing, record: {} })

  it('is denied without waiting for a pending rule', async () => {
    const decisions = Promise.all(Array.from({ length: 20 }, async () => ask(hanging)))
    leaving.abort()
    expect(await decisions).toEqual(Array.from({ length: 20 }, () => ({ allowed: false, cause: 'aborted' })))
    expect(await ask(() => true)).toEqual({ allowed: false, cause: 'aborted' })
  })
})

describe('policy', () => {
  it('throws for a rule that is not a function, and for an unknown forbiddenResponse', () => {
    expect(() => policy(thing, { canShow: true as never })).toThrow('Thing: canShow is not a function')
    expect(() => policy(thing, {}, { forbiddenResponse: '401' as never })).toThrow(
      'Valid values: 404, 403, auto',
    )
  })
})

describe('a rule that never answers', () => {
  const never = () => new Promise<never>(() => {})

  it('denies after the deadline', async () => {
    const question = { action: 'show', resource: thing, record: {} }
    const timeout = { allowed: false, cause: 'timeout' }
    expect(await decide(policiesOf({ canShow: never }), ctx, question, 10)).toEqual(timeout)
    const before = policiesOf({ before: never, canShow: () => true })
    expect(await decide(before, ctx, question, 10)).toEqual(timeout)
  })

  it('denies a change after the deadline', async () => {
    vi.useFakeTimers()
    const change = { resource: thing, before: {}, after: {} }
    const decision = decideChange(policiesOf({ canBecome: never }), ctx, change, 10)
    await vi.advanceTimersByTimeAsync(10)
    expect(vi.getTimerCount()).toBe(0)
    expect(await decision).toEqual({ allowed: false, cause: 'timeout' })
    vi.useRealTimers()
  })

  it('has five seconds by default', async () => {
    vi.useFakeTimers()
    let decision: unknown
    void Promise.resolve(decided(never)).then((value) => (decision = value))
    await vi.advanceTimersByTimeAsync(4_999)
    expect(decision).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(decision).toEqual({ allowed: false, cause: 'timeout' })
    vi.useRealTimers()
  })
})
