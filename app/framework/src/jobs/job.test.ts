import { describe, expect, it } from 'vitest'
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
