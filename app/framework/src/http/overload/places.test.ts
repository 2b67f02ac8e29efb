import { describe, expect, it } from 'vitest'
import { Places } from './places.ts'

/** Returns a function that lets windows pass in which the event loop was busy for this share of the time. */
function placesUnderLoad() {
  let [now, utilization] = [0, 0]
  const places = new Places(100, () => ({ utilization, idle: 0, active: 0 }))
  return (windows: number, share: number, isWaitedFor = true) => {
    utilization = share
    for (let window = 0; window < windows; window++) places.update((now += 250), isWaitedFor)
    return places.count
  }
}

describe('Places', () => {
  it('grow to 100 while requests wait and the event loop idles', () => {
    const windows = placesUnderLoad()
    expect(windows(1, 0.5)).toBe(15)
    expect(windows(20, 0.5)).toBe(100)
  })

  it('remain while no request waits, and while the event loop is almost busy', () => {
    const windows = placesUnderLoad()
    expect(windows(100, 0.5, false)).toBe(12)
    expect(windows(100, 0.9)).toBe(12)
  })

  it('shrink to 12 while the event loop is busy, also if no request waits', () => {
    const windows = placesUnderLoad()
    windows(20, 0.5)
    expect(windows(1, 1, false)).toBe(80)
    expect(windows(20, 1)).toBe(12)
  })

  it('follow each window of 250 milliseconds once', () => {
    const places = new Places(100, () => ({ utilization: 0, idle: 0, active: 0 }))
    for (let now = 0; now < 1_000; now += 10) places.update(now, true)
    expect(places.count).toBe(Math.floor(12 * 1.25 ** 4))
  })
})
