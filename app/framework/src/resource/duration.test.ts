import { describe, expect, it } from 'vitest'
import { type Duration, secondsOf } from './duration.ts'

describe('secondsOf', () => {
  it.each([
    ['1 second', 1],
    ['90 seconds', 90],
    ['1 minute', 60],
    ['2 hours', 7_200],
    ['3 days', 259_200],
  ] as const)('reads %s', (duration, seconds) => {
    expect(secondsOf(duration)).toBe(seconds)
  })

  it.each(['1.5 hours', '-1 second', '5 weeks', '1  second', '5 Minutes'])('rejects %j', (duration) => {
    expect(() => secondsOf(duration as Duration)).toThrow(`'${duration}' is not a duration.`)
  })
})
