import { describe, expect, it } from 'vitest'
import { redactFields } from './redact-fields.ts'

const redact = redactFields(['password', 'token'])

describe('redactFields', () => {
  it('replaces secrets down to the third level', () => {
    expect(redact({ password: 'a', user: { token: 'b', account: { password: 'c', name: 'Ann' } } })).toEqual({
      password: '[redacted]',
      user: { token: '[redacted]', account: { password: '[redacted]', name: 'Ann' } },
    })
    expect(redact({ one: { two: { three: { token: 'd' } } } })).toEqual({
      one: { two: { three: { token: 'd' } } },
    })
  })

  it('replaces secrets in lists', () => {
    expect(redact({ users: [{ password: 'a' }, { name: 'Ann' }] })).toEqual({
      users: [{ password: '[redacted]' }, { name: 'Ann' }],
    })
  })

  it('changes no object that was passed', () => {
    const fields = { user: { password: 'a' } }
    redact(fields)
    expect(fields).toEqual({ user: { password: 'a' } })
  })

  it('returns fields without secrets, and errors, as they are', () => {
    const fields = { id: 7, err: Object.assign(new Error('failed'), { token: 'a' }), none: null }
    expect(redact(fields)).toBe(fields)
  })
})
