import { describe, expect, it } from 'vitest'
import { ConcurrencyLimit } from './concurrency-limit.ts'

interface Load {
  latency: number
  lag?: number
  full?: boolean
}

/** Returns a limit whose windows pass when the returned function is called. */
function limitUnderLoad() {
  let now = 0
  const limit = new ConcurrencyLimit(now)
  const windows = (count: number, { latency, lag = 0, full = true }: Load) => {
    for (let window = 0; window < count; window++) {
      for (let sample = 0; sample < 10; sample++) limit.addLatency(latency)
      limit.addLag(lag)
      if (full) limit.noteFull()
      limit.update((now += 250))
    }
    return limit.current
  }
  return { limit, windows }
}

describe('ConcurrencyLimit', () => {
  it('grows to 100 while all places are taken and requests remain fast', () => {
    const { windows } = limitUnderLoad()
    expect(windows(1, { latency: 5 })).toBe(13)
    expect(windows(10, { latency: 5.5 })).toBeGreaterThan(15)
    expect(windows(200, { latency: 6 })).toBe(100)
  })

  it('remains while places are free', () => {
    const { windows } = limitUnderLoad()
    expect(windows(200, { latency: 5, full: false })).toBe(12)
  })

  it('shrinks to 12 when requests become slow, and grows again when they become fast', () => {
    const { windows } = limitUnderLoad()
    windows(200, { latency: 5 })
    expect(windows(1, { latency: 50 })).toBeLessThan(100)
    expect(windows(10, { latency: 50 })).toBeLessThan(20)
    expect(windows(200, { latency: 5 })).toBe(100)
  })

  it.each([1.1, 20])(
    'settles a little above its lower bound if each request costs %d ms of the CPU',
    (cost) => {
      const { limit, windows } = limitUnderLoad()
      windows(1, { latency: cost * 3, full: false })
      for (let window = 0; window < 1_000; window++) windows(1, { latency: cost * limit.current })
      for (let window = 0; window < 100; window++) {
        windows(1, { latency: cost * limit.current })
        expect(limit.current).toBeGreaterThanOrEqual(12)
        expect(limit.current).toBeLessThan(18)
      }
    },
  )

  it('shrinks when the event loop lags, even if requests are fast', () => {
    const { windows } = limitUnderLoad()
    windows(200, { latency: 5 })
    expect(windows(100, { latency: 5, lag: 200 })).toBeLessThan(20)
  })

  it('grows again after the work of requests has become slower', () => {
    const { windows } = limitUnderLoad()
    windows(200, { latency: 5 })
    expect(windows(20, { latency: 500 })).toBeLessThan(16)
    expect(windows(200, { latency: 500 })).toBeGreaterThan(50)
  })

  it('waits for ten samples, and for 250 ms', () => {
    const limit = new ConcurrencyLimit(0)
    const limitAt = (now: number, samples: number) => {
      for (let sample = 0; sample < samples; sample++) limit.addLatency(5)
      limit.noteFull()
      limit.update(now)
      return limit.current
    }
    expect([limitAt(1_000, 9), limitAt(1_010, 1)]).toEqual([12, 13])
    expect([limitAt(1_250, 10), limitAt(1_260, 0)]).toEqual([13, 15])
  })
})
