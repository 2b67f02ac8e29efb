import { describe, expect, it } from 'vitest'
import { countTogether } from './count-together.ts'

/** Returns a counter, and how many requests each call of the store added. */
function counter() {
  const calls: string[] = []
  const totals = new Map<string, number>()
  const count = countTogether((key, requests) => {
    calls.push(`${key} ${requests}`)
    const consumedPoints = (totals.get(key) ?? 0) + requests
    totals.set(key, consumedPoints)
    return key === 'broken'
      ? Promise.reject(new Error('no database'))
      : Promise.resolve({ consumedPoints, msBeforeNext: 10 })
  })
  return { count, calls }
}

describe('countTogether', () => {
  it('counts the requests of a key at the same moment with one call, each at its position', async () => {
    const { count, calls } = counter()
    const counted = await Promise.all([count('one'), count('other'), count('one'), count('one')])
    expect(counted.map(({ position }) => position)).toEqual([1, 1, 2, 3])
    expect(await count('one')).toEqual({ position: 4, msBeforeNext: 10 })
    expect(calls).toEqual(['one 3', 'other 1', 'one 1'])
  })

  it('rejects all requests of a call that fails', async () => {
    const { count } = counter()
    const settled = await Promise.allSettled([count('broken'), count('broken'), count('one')])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  })
})
