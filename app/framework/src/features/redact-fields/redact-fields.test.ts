import { describe, expect, it } from 'vitest'
import { pino } from 'pino'
import { redactChildren, redactFields } from './redact-fields.ts'

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

  it('replaces secrets in instances of classes', () => {
    class Account {
      readonly password = 'a'
    }
    expect(redact({ account: new Account() })).toEqual({ account: { password: '[redacted]' } })
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

describe('redactChildren', () => {
  it('replaces secrets in the bindings of children and of their children', () => {
    const lines: string[] = []
    const log = redactChildren(pino({}, { write: (line: string) => void lines.push(line) }), redact)
    log.child({ token: 'S1' }).info('one')
    log.child({ id: 7 }).child({ token: 'S2' }).info('two')
    expect(lines.join()).not.toMatch(/S1|S2/)
    expect(lines.join()).toContain('"id":7')
  })
})
