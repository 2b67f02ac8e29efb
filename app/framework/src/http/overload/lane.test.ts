import { describe, expect, it } from 'vitest'
import { Lane } from './lane.ts'

/** A lane whose waiters record what happens to them. */
function laneOf(places: () => number) {
  const lane = new Lane(places)
  const events: string[] = []
  const left = new Set<string>()
  let now = 0
  const wait = (name: string) =>
    lane.wait({
      since: now,
      hasLeft: () => left.has(name),
      admit: () => events.push(`${name} admitted`),
      refuse: () => events.push(`${name} refused`),
    })
  const sweep = (times: number, milliseconds = 10) => {
    for (let sweep = 0; sweep < times; sweep++) lane.sweep((now += milliseconds))
  }
  return { lane, events, wait, sweep, leave: (name: string) => left.add(name) }
}

describe('Lane', () => {
  it('gives each free place to the request that waits longest', () => {
    const { lane, events, wait } = laneOf(() => 1)
    expect([lane.take(), lane.take(), wait('a'), wait('b')]).toEqual([true, false, true, true])
    lane.leave()
    expect(events).toEqual(['a admitted'])
    lane.leave()
    expect(events).toEqual(['a admitted', 'b admitted'])
    expect(lane.take()).toBe(false)
    lane.leave()
    expect(lane.take()).toBe(true)
  })

  it('skips a waiting request whose client left', () => {
    const { lane, events, wait, leave } = laneOf(() => 1)
    lane.take()
    wait('a')
    wait('b')
    leave('a')
    lane.leave()
    expect(events).toEqual(['b admitted'])
  })

  it('frees the place in the queue of a client that left', () => {
    const { lane, wait, sweep, leave } = laneOf(() => 4)
    for (let place = 0; place < 4; place++) lane.take()
    wait('a')
    sweep(20)
    expect(wait('b')).toBe(false)
    leave('a')
    sweep(1)
    expect(wait('b')).toBe(true)
  })

  it('refuses a request that waited for a second', () => {
    const { lane, events, wait, sweep } = laneOf(() => 4)
    lane.take()
    for (let place = 1; place < 4; place++) lane.take()
    wait('a')
    sweep(100)
    expect(events).toEqual([])
    sweep(1)
    expect(events).toEqual(['a refused'])
    lane.leave()
    expect(events).toEqual(['a refused'])
  })

  it('queues a burst of 200, and a quarter of the places in an overload', () => {
    const { lane, events, wait, sweep } = laneOf(() => 8)
    for (let place = 0; place < 8; place++) lane.take()
    for (let count = 0; count < 200; count++) expect(wait(`${count}`)).toBe(true)
    expect(wait('200')).toBe(false)
    sweep(20)
    expect(events).toHaveLength(198)
    expect(events.at(-1)).toBe('197 refused')
    expect(wait('201')).toBe(false)
    lane.leave()
    expect(events.at(-1)).toBe('198 admitted')
    expect(wait('202')).toBe(true)
  })

  it('always queues as many requests as a fixed queue has room for', () => {
    const lane = new Lane(() => 1, 3)
    const waiter = { since: 0, hasLeft: () => false, admit: () => {}, refuse: () => {} }
    lane.take()
    expect([lane.wait(waiter), lane.wait(waiter)]).toEqual([true, true])
    for (let now = 10; now < 500; now += 10) lane.sweep(now)
    expect([lane.wait(waiter), lane.wait(waiter)]).toEqual([true, false])
  })

  it('queues bursts again after the overload', () => {
    const { lane, wait, sweep } = laneOf(() => 1)
    lane.take()
    wait('a')
    sweep(20)
    expect([wait('b'), lane.isIdle]).toEqual([false, false])
    lane.leave()
    lane.leave()
    expect(lane.isIdle).toBe(false)
    sweep(30)
    expect(lane.isIdle).toBe(true)
    lane.take()
    expect([wait('c'), wait('d')]).toEqual([true, true])
  })

  it('admits waiting requests when places are added', () => {
    let places = 1
    const { lane, events, wait, sweep } = laneOf(() => places)
    lane.take()
    wait('a')
    wait('b')
    places = 2
    expect(lane.take()).toBe(false)
    sweep(1)
    expect(events).toEqual(['a admitted'])
  })
})
