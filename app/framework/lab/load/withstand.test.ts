import { describe, expect, it, type TestContext } from 'vitest'
import { compareWithStored, startLoad } from './load.ts'
import type { Answer } from '../../testing/test-client.ts'
import { acknowledgements, type UnderLoad, withstand } from './withstand.ts'

const answer = (status: number, text = ''): Answer => ({
  status,
  text,
  headers: new Headers(),
  json: () => null,
})

/** A store whose first response to each key is `first`. */
function store(first: Answer | Error, stores: (key: string, attempt: number) => boolean) {
  const stored: string[] = []
  const attempts = new Map<string, number>()
  const load: UnderLoad = {
    servers: [],
    secrets: ['hunter2'],
    stored: () => Promise.resolve(stored),
    read: () => Promise.resolve(answer(200)),
    write(key) {
      const attempt = (attempts.get(key) ?? 0) + 1
      attempts.set(key, attempt)
      if (stores(key, attempt)) stored.push(key)
      if (attempt > 1) return Promise.resolve(answer(201))
      return first instanceof Error ? Promise.reject(first) : Promise.resolve(first)
    },
  }
  return { load, attempts }
}

const run = (load: UnderLoad) => {
  const test = { task: { meta: {} } } as TestContext
  return withstand(test, load, () => Promise.resolve())
}
const once = (_key: string, attempt: number) => attempt === 1

describe('withstand', () => {
  it('accepts failures that a retry with the same key repairs', async () => {
    for (const first of [answer(503), answer(429), new Error('fetch failed')]) {
      const { load, attempts } = store(first, once)
      const { acknowledged, failed, lost, doubled } = await run(load)
      expect([acknowledged, lost, doubled]).toEqual([attempts.size, 0, 0])
      expect(failed).toBe(attempts.size)
    }
  })

  it('fails if an acknowledged write is missing', async () => {
    let count = 0
    await expect(run(store(answer(201), () => ++count !== 7).load)).rejects.toThrow('acknowledged writes')
  })

  it('fails if a write is stored twice', async () => {
    await expect(run(store(answer(503), () => true).load)).rejects.toThrow('stored twice')
  })

  it.each([
    ['a 500', answer(500)],
    ['a stack', answer(503, 'Error\n    at run (/app/x.ts:1:2)')],
    ['SQL', answer(503, 'select "id" from "notes"')],
    ['a secret', answer(503, 'The password is hunter2.')],
  ])('fails after %s', async (_, first) => {
    await expect(run(store(first, once).load)).rejects.toThrow('responses that no fault explains')
  })
})

describe('startLoad', () => {
  it('measures the recovery by requests that began afterwards', async () => {
    let status = 201
    const load = startLoad({ ...store(answer(201), once).load, write: () => Promise.resolve(answer(status)) })
    await acknowledgements(load, 10)
    status = 503
    const recovery = load.recovery()
    const before = load.failed
    await expect.poll(() => load.failed - before).toBeGreaterThan(5)
    status = 201
    expect(await recovery).toBeGreaterThan(0.05)
    await load.stop()
  })
})

describe('compareWithStored', () => {
  it('counts missing acknowledged keys, and every repetition', () => {
    expect(compareWithStored(['a', 'b', 'c'], ['a', 'a', 'a', 'c', 'd'])).toEqual({ lost: 1, doubled: 2 })
  })
})
