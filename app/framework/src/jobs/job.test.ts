import { describe, expect, it } from 'vitest'
import { type Duration, secondsOf } from './duration.ts'
import { job } from './job.ts'

const run = async () => {}

describe('job', () => {
  it('has defaults', () => {
    expect(job('send-welcome', { run })).toMatchObject({
      name: 'send-welcome',
      retries: 10,
      backoff: 5,
      timeout: 300,
      concurrency: 5,
    })
  })

  it.each(['SendWelcome', 'send_welcome', '', 'a--b', 'a/b'])('rejects the name %j', (name) => {
    expect(() => job(name, { run })).toThrow('is not a valid job name')
  })

  it.each([
    [{ retries: -1 }, 'send: retries is -1. Valid values: whole numbers from 0 to 100.'],
    [{ concurrency: 0 }, 'send: concurrency is 0.'],
    [{ timeout: '24 hours' }, 'send: timeout in seconds is 86400.'],
    [{ backoff: '0 seconds' }, 'send: backoff in seconds is 0.'],
  ] as const)('rejects %j', (options, message) => {
    expect(() => job('send', { run, ...options })).toThrow(message)
  })
})

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
