import { describe, expect, it } from 'vitest'
import { endBefore, LAST_POSITION, readPosition, writePosition } from './log-position.ts'
import { PrimaryLog } from './primary-log.ts'

describe('a position', () => {
  it.each(['0/0', '16/B374D848', 'FFFFFFFF/FFFFFFFF'])('is read and written: %s', (text) => {
    expect(writePosition(readPosition(text) ?? -1n)).toBe(text)
  })

  it('is ordered', () => {
    expect(readPosition('1/0')).toBeGreaterThan(readPosition('0/FFFFFFFF') ?? 0n)
    expect(readPosition('FFFFFFFF/FFFFFFFF')).toBe(LAST_POSITION)
  })

  it.each(['', '0', '0/', '/0', '0/0/0', '0/G', '123456789/0', ' 0/0', '0/0\n'])('is not %o', (text) => {
    expect(readPosition(text)).toBeNull()
  })
})

describe('the end before the next record', () => {
  const SEGMENT = 16n * 1_024n * 1_024n

  it.each([
    ['within a page', 8_192n + 100n, 8_192n + 100n],
    ['behind the header of a page', 8_192n + 24n, 8_192n],
    ['behind the header of a segment', SEGMENT + 40n, SEGMENT],
    ['40 bytes behind another page, where a record can end', 8_192n + 40n, 8_192n + 40n],
    ['on a page', 8_192n, 8_192n],
  ])('%s', (_where, next, end) => {
    expect(endBefore(next, SEGMENT)).toBe(end)
  })
})

describe('the lag of a replica', () => {
  const timeline = '00000001'

  it('is the time since the primary was where the replica is', () => {
    const log = new PrimaryLog(1_000)
    for (const [position, time] of [
      [10n, 0],
      [20n, 100],
      [30n, 200],
    ] as const)
      log.add({ position, time, timeline })
    expect(log.lagOf(30n, 250)).toBe(50)
    expect(log.lagOf(29n, 250)).toBe(150)
    expect(log.lagOf(40n, 250)).toBe(50)
    expect(log.lagOf(9n, 250)).toBe(Infinity)
  })

  it('stays that of an idle primary while it answers', () => {
    const log = new PrimaryLog(1_000)
    for (let time = 0; time <= 5_000; time += 100) log.add({ position: 10n, time, timeline })
    expect(log.lagOf(10n, 5_050)).toBe(50)
  })

  it('grows while the primary does not answer', () => {
    const log = new PrimaryLog(1_000)
    log.add({ position: 10n, time: 0, timeline })
    expect(log.lagOf(10n, 900)).toBe(900)
  })

  it('is unknown beyond its span', () => {
    const log = new PrimaryLog(1_000)
    for (let time = 0; time <= 5_000; time += 100) log.add({ position: BigInt(time), time, timeline })
    expect(log.lagOf(3_000n, 5_000)).toBe(Infinity)
    expect(log.lagOf(4_100n, 5_000)).toBe(900)
  })

  it.each([
    ['on another timeline', 30n, '00000002'],
    ['behind its last position', 19n, timeline],
  ])('is unknown if a server %s became the primary', (_where, position, next) => {
    const log = new PrimaryLog(1_000)
    for (const time of [0, 100]) log.add({ position: 10n + BigInt(time / 10), time, timeline })
    log.add({ position, time: 200, timeline: next })
    expect(log.lagOf(18n, 250)).toBe(Infinity)
    expect(log.lagOf(position, 250)).toBe(50)
  })
})
