import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SearchShare } from './search-share.ts'

/** Starts searches that run until the test ends them, and notes their numbers as they begin. */
function searchesOf(share: SearchShare, caller?: 'user') {
  const begun: number[] = []
  const ends: (() => void)[] = []
  const start = (number: number) =>
    share.run(() => {
      begun.push(number)
      return new Promise<number>((resolve) => (ends[number] = () => resolve(number)))
    }, caller)
  return { begun, ends, start }
}

const NEVER = 1_000_000
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('SearchShare', () => {
  it.each([
    [1, 1],
    [7, 1],
    [8, 2],
    [10, 2],
    [40, 10],
  ])('of a pool of %i runs %i searches at once', async (poolSize, connections) => {
    const { begun, ends, start } = searchesOf(new SearchShare({ poolSize, statementTimeout: 1 }, NEVER))
    const running = Array.from({ length: connections + 1 }, (_, number) => start(number))
    expect(begun).toHaveLength(connections)
    ends[0]?.()
    await running[0]
    expect(begun).toHaveLength(connections + 1)
    for (const end of ends) end()
    await Promise.all(running)
  })

  it('runs waiting searches in order', async () => {
    const { begun, ends, start } = searchesOf(new SearchShare({ poolSize: 4, statementTimeout: 1 }, NEVER))
    const running = [0, 1, 2].map(start)
    for (const number of [0, 1, 2]) {
      expect(begun.at(-1)).toBe(number)
      ends[number]?.()
      await expect(running[number]).resolves.toBe(number)
      await settled()
    }
    expect(begun).toEqual([0, 1, 2])
  })

  it('lets fewer searches wait while they are slow', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const share = new SearchShare({ poolSize: 4, statementTimeout: 1 }, NEVER)
    expect(await waitingBehind(share, 100)).toBe(10)
    expect(await waitingBehind(share, 101)).toBe(2)
    await share.run(() => Promise.resolve(vi.advanceTimersByTime(101)))
    expect(await waitingBehind(share, 0)).toBe(2)
    expect(await waitingBehind(share, 0)).toBe(10)
  })

  /** Returns how many of fifty searches may wait for one that has run for some time, and ends all of them. */
  async function waitingBehind(share: SearchShare, milliseconds: number): Promise<number> {
    const { ends, start } = searchesOf(share)
    const first = start(0)
    vi.advanceTimersByTime(milliseconds)
    const others = Promise.allSettled(Array.from({ length: 50 }, (_, index) => start(index + 1)))
    for (let number = 0; number <= 50; number++) {
      ends[number]?.()
      await settled()
    }
    await first
    const refused = (await others).flatMap((result) => (result.status === 'rejected' ? [result] : []))
    for (const { reason } of refused)
      expect(reason).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
    return 50 - refused.length
  }

  it('refuses a search that waits too long, and then admits others', async () => {
    const { begun, ends, start } = searchesOf(new SearchShare({ poolSize: 4, statementTimeout: 1 }, 1))
    const first = start(0)
    await expect(start(1)).rejects.toThrow('Too many searches are running.')
    ends[0]?.()
    await first
    const third = start(2)
    expect(begun).toEqual([0, 2])
    ends[2]?.()
    await third
  })

  it('frees the connection of a search that fails', async () => {
    const share = new SearchShare({ poolSize: 4, statementTimeout: 1 }, NEVER)
    await expect(share.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    await expect(share.run(() => Promise.resolve(1))).resolves.toBe(1)
  })

  it.each([
    [1, 0],
    [2, 0],
    [3, 1],
    [4, 1],
    [10, 1],
    [12, 2],
    [40, 5],
  ])('of a pool of %i has %i connections for users when guests use all others', async (poolSize, reserve) => {
    const share = new SearchShare({ poolSize, statementTimeout: 1 }, NEVER)
    const guests = searchesOf(share)
    const users = searchesOf(share, 'user')
    const running = [
      ...Array.from({ length: 2 * poolSize }, (_, number) => guests.start(number)),
      ...Array.from({ length: 2 * poolSize }, (_, number) => users.start(number)),
    ]
    const ended = Promise.allSettled(running)
    expect(users.begun).toHaveLength(reserve)
    for (let turn = 0; turn < 4 * poolSize; turn++) {
      for (const end of [...users.ends, ...guests.ends]) end?.()
      await settled()
    }
    await ended
  })

  it('runs the waiting searches of users before those of guests', async () => {
    const share = new SearchShare({ poolSize: 2, statementTimeout: 1 }, NEVER)
    const order: string[] = []
    const first = Promise.withResolvers<void>()
    const search = (name: string) => async () => void order.push(name)
    const ended = Promise.all([
      share.run(() => first.promise),
      share.run(search('guest')),
      share.run(search('user'), 'user'),
    ])
    first.resolve()
    await ended
    expect(order).toEqual(['user', 'guest'])
  })

  it('refuses no user because too many guests wait', async () => {
    const share = new SearchShare({ poolSize: 2, statementTimeout: 1 }, NEVER)
    const first = Promise.withResolvers<void>()
    const guests = Array.from({ length: 50 }, () => share.run(() => first.promise))
    const outcomes = Promise.allSettled(guests)
    const user = share.run(() => Promise.resolve('found'), 'user')
    first.resolve()
    await expect(user).resolves.toBe('found')
    expect((await outcomes).filter(({ status }) => status === 'rejected')).toHaveLength(39)
  })
})
