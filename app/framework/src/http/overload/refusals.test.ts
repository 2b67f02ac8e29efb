import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { Refusals } from './refusals.ts'

function recorded() {
  const refused: number[] = []
  const lines: { refused: number }[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as { refused: number }) })
  const refusals = new Refusals((req) => void refused.push(Number(req.url)), log)
  const sockets: { destroyed: boolean }[] = []
  const add = (count: number) => {
    for (let index = 0; index < count; index++) {
      const socket = { destroyed: false, destroy: () => (socket.destroyed = true) }
      const req = Object.assign(new EventEmitter(), { url: `${sockets.length}`, socket })
      sockets.push(socket)
      refusals.add(req as unknown as IncomingMessage, {} as ServerResponse)
    }
  }
  return { refusals, refused, lines, sockets, add }
}

describe('Refusals', () => {
  it('refuses 100 requests at once, and then ten per tick in their order', () => {
    const { refusals, refused, add } = recorded()
    add(150)
    expect(refused).toHaveLength(100)
    refusals.tick(10, 12)
    expect(refused).toHaveLength(110)
    add(1)
    for (let tick = 0; tick < 5; tick++) refusals.tick(60, 12)
    expect(refused).toEqual(Array.from({ length: 151 }, (_, index) => index))
  })

  it('forgets clients that left', () => {
    const { refusals, refused, sockets, add } = recorded()
    add(110)
    for (const socket of sockets.slice(100, 109)) socket.destroyed = true
    refusals.tick(10, 12)
    expect(refused.at(-1)).toBe(109)
  })

  it('closes connections instead of collecting more than 2,000 requests', () => {
    const { sockets, add } = recorded()
    add(2_101)
    expect(sockets.map(({ destroyed }) => destroyed).lastIndexOf(false)).toBe(2_099)
    expect(sockets.at(-1)?.destroyed).toBe(true)
  })

  it('logs one line per second with the number', () => {
    const { refusals, lines, add } = recorded()
    add(3)
    refusals.tick(10, 12)
    add(4)
    refusals.tick(500, 12)
    expect(lines).toMatchObject([{ refused: 3, limit: 12 }])
    refusals.tick(1_010, 12)
    expect(lines).toMatchObject([{ refused: 3 }, { refused: 4 }])
    refusals.tick(3_000, 12)
    expect(lines).toHaveLength(2)
    expect(refusals.isIdle).toBe(true)
  })
})
