import { describe, expect, it } from 'vitest'
import type { Resource } from '../resource/resource.ts'
import { decide } from './decide.ts'
import { contextOf } from './policy-context.ts'
import type { AnyPolicy } from './policy.ts'

const thing = { name: 'Thing' } as Resource
const ctx = contextOf(null)

/** The decision on 'show' by a policy whose rule gives this answer, typed or not. */
const decided = (canShow: unknown, action = 'show') =>
  decide(new Map([[thing, { resource: thing, rules: { canShow }, declaredAt: '' } as AnyPolicy]]), ctx, {
    action,
    resource: thing,
    record: {},
  })

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

  it('denies when the resource has no policy', async () => {
    const question = { action: 'show', resource: thing, record: {} }
    expect(await decide(new Map(), ctx, question)).toEqual({ allowed: false, cause: 'no_policy' })
  })
})
