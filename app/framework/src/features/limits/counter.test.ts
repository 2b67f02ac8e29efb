import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Counter } from './counter.ts'

/** Returns a counter, and how many requests each call of the store added. */
function counting(ahead?: (consumed: number) => number) {
  const calls: string[] = []
  const totals = new Map<string, number>()
  const counter = new Counter((key, requests) => {
    calls.push(`${key} ${requests}`)
    const consumedPoints = (totals.get(key) ?? 0) + requests
    totals.set(key, consumedPoints)
    return key === 'broken'
      ? Promise.reject(new Error('no database'))
      : Promise.resolve({ consumedPoints, msBeforeNext: 1_000 })
  }, ahead)
  return { counter, count: (key: string) => counter.count(key), calls }
}

describe('Counter', () => {
  it('counts the requests of a key at the same moment with one call, each at its position', async () => {
    const { count, calls } = counting()
    const counted = await Promise.all([count('one'), count('other'), count('one'), count('one')])
    expect(counted.map(({ position }) => position)).toEqual([1, 1, 2, 3])
    expect(await count('one')).toEqual({ position: 4, msBeforeNext: 1_000, isFirst: true })
    expect(calls).toEqual(['one 3', 'other 1', 'one 1'])
  })

  it('rejects all requests of a call that fails', async () => {
    const { count } = counting()
    const settled = await Promise.allSettled([count('broken'), count('broken'), count('one')])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  })

  it('counts ahead from the second statement of a window', async () => {
    const { count, calls } = counting((consumed) => (consumed < 10 ? 4 : 0))
    const positions: number[] = []
    for (let n = 0; n < 14; n++) positions.push((await count('one')).position)
    expect(positions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    expect(calls).toEqual(['one 1', 'one 5', 'one 5', 'one 1', 'one 1', 'one 1'])
  })

  it('counts ahead for each key, and with one statement at a time', async () => {
    const { count, calls } = counting(() => 4)
    await count('one')
    const [first, later] = [count('one'), new Promise(setImmediate).then(() => count('one'))]
    expect([await first, await later]).toMatchObject([{ position: 2 }, { position: 3 }])
    await count('other')
    expect(calls).toEqual(['one 1', 'one 5', 'other 1'])
  })

  it('keeps the units counted ahead if another statement of the key ends later', async () => {
    const ends: (() => void)[] = []
    let total = 0
    const counter = new Counter(
      (_key, requests) => {
        const consumedPoints = (total += requests)
        return new Promise((resolve) => ends.push(() => resolve({ consumedPoints, msBeforeNext: 1_000 })))
      },
      () => 4,
    )
    const turn = () => new Promise(setImmediate)
    const known = counter.count('one')
    await turn()
    ends[0]?.()
    await known
    const [ahead, later] = [counter.count('one'), turn().then(() => counter.count('one'))]
    await turn()
    await turn()
    expect(ends).toHaveLength(3)
    ends[1]?.()
    await ahead
    ends[2]?.()
    expect([await ahead, await later]).toMatchObject([{ position: 2 }, { position: 7 }])
    const positions = [3, 4, 5, 6].map(() => counter.count('one'))
    expect(positions).toMatchObject([{ position: 3 }, { position: 4 }, { position: 5 }, { position: 6 }])
    expect(total).toBe(7)
  })

  it('drops the units counted ahead when the window ends, and on demand', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { counter, count, calls } = counting(() => 4)
    for (let n = 0; n < 3; n++) await count('one')
    expect(calls).toEqual(['one 1', 'one 5'])
    vi.advanceTimersByTime(1_000)
    await count('one')
    await count('one')
    counter.forget()
    await count('one')
    expect(calls).toEqual(['one 1', 'one 5', 'one 1', 'one 5', 'one 1'])
  })
})
