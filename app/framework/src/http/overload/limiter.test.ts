import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Limiter } from './limiter.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A limiter whose waiters record what happens to them. */
function limiterOf({ room = 1_000, patience = 300 } = {}) {
  let places = 1
  const limiter = new Limiter({ places: () => places, room: () => room, patience })
  const events: string[] = []
  const left = new Set<string>()
  const wait = (name: string) =>
    limiter.wait({
      hasLeft: () => left.has(name),
      admit: () => events.push(`${name} admitted`),
      refuse: () => events.push(`${name} refused`),
    })
  const add = () => void places++
  return { limiter, events, wait, add, leave: (name: string) => left.add(name) }
}

describe('Limiter', () => {
  it('gives each free place to the oldest waiter', () => {
    const { limiter, events, wait } = limiterOf()
    expect([limiter.tryAcquire(), limiter.tryAcquire(), wait('a'), wait('b')]).toEqual([
      true,
      false,
      true,
      true,
    ])
    limiter.release()
    expect(events).toEqual(['a admitted'])
    limiter.release()
    expect(events).toEqual(['a admitted', 'b admitted'])
    expect(limiter.tryAcquire()).toBe(false)
    limiter.release()
    expect(limiter.tryAcquire()).toBe(true)
  })

  it('refuses nobody while waits are short, however long the queue lasts', () => {
    const { limiter, events, wait } = limiterOf()
    limiter.tryAcquire()
    for (let turn = 0; turn < 20; turn++) wait(`${turn}`)
    for (let turn = 20; turn < 1_000; turn++) {
      vi.advanceTimersByTime(10)
      limiter.release()
      wait(`${turn}`)
    }
    expect(events.filter((event) => event.endsWith('refused'))).toEqual([])
    expect(events).toHaveLength(980)
  })

  it('refuses a waiter after its patience, and keeps the place', () => {
    const { limiter, events, wait } = limiterOf()
    limiter.tryAcquire()
    wait('a')
    vi.advanceTimersByTime(299)
    expect(events).toEqual([])
    vi.advanceTimersByTime(10)
    expect(events).toEqual(['a refused'])
    limiter.release()
    expect([events, limiter.inUse]).toEqual([['a refused'], 0])
  })

  it('refuses ten at a time, the oldest first', () => {
    const { limiter, events, wait } = limiterOf()
    limiter.tryAcquire()
    for (let count = 0; count < 25; count++) wait(`${count}`)
    vi.advanceTimersByTime(300)
    expect(events).toEqual(Array.from({ length: 10 }, (_, index) => `${index} refused`))
    vi.advanceTimersByTime(20)
    expect(events).toHaveLength(25)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('skips waiters that left, and gives their room to others', () => {
    const { limiter, events, wait, leave } = limiterOf({ room: 3 })
    limiter.tryAcquire()
    expect(['a', 'b', 'c', 'd'].map(wait)).toEqual([true, true, true, false])
    leave('b')
    expect(wait('d')).toBe(true)
    leave('a')
    limiter.release()
    expect(events).toEqual(['c admitted'])
    leave('d')
    vi.advanceTimersByTime(1_000)
    expect(events).toEqual(['c admitted'])
  })

  it('admits waiters when places are added', () => {
    const { limiter, events, wait, add } = limiterOf()
    limiter.tryAcquire()
    wait('a')
    wait('b')
    add()
    expect(limiter.tryAcquire()).toBe(false)
    vi.advanceTimersByTime(10)
    expect(events).toEqual(['a admitted'])
  })

  it('waits with a promise, which rejects after the patience and if the queue is full', async () => {
    const { limiter } = limiterOf({ room: 2 })
    limiter.tryAcquire()
    const refusal = () => new Error('too many')
    const first = limiter.acquire(refusal)
    const second = limiter.acquire(refusal).catch(({ message }: Error) => message)
    await expect(limiter.acquire(refusal)).rejects.toThrow('too many')
    limiter.release()
    await first
    vi.advanceTimersByTime(300)
    expect(await second).toBe('too many')
  })
})
