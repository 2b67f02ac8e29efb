import { describe, expect, it } from 'vitest'
import type { Resource } from '../resource/resource.ts'
import { copyRow, originOf, readRow, withoutFields } from './rows.ts'

const resource = { name: 'File', table: 'files' } as unknown as Resource
const stored = () => ({ id: 1, tags: ['a'], meta: { inner: { deep: 1 } }, bytes: Buffer.from([1]) })

describe('readRow', () => {
  it('freezes a row deeply', () => {
    const row = readRow(resource, stored()) as Partial<ReturnType<typeof stored>>
    expect(row).toEqual(stored())
    for (const part of [row, row.tags, row.meta, row.meta?.inner]) expect(Object.isFrozen(part)).toBe(true)
  })

  it('leaves out the version and the columns after it', () => {
    const row = readRow(resource, { ...stored(), __version: '7', __key0: '1', __total: '9' })
    expect(row).toStrictEqual(stored())
    expect(originOf(resource, row)).toStrictEqual({ resource, id: 1, version: '7' })
  })
})

describe('the origin of a row', () => {
  const row = readRow(resource, { ...stored(), __version: '7' })

  it('is not enumerable, and copies of the row don’t have it', () => {
    expect({ ...row }).toStrictEqual(stored())
    expect(Object.getOwnPropertyNames(row)).toEqual(Object.keys(stored()))
    const described = Object.defineProperties({}, Object.getOwnPropertyDescriptors(row))
    const inherited = Object.create(row) as object
    const copies = [{ ...row }, described, inherited, new Proxy(row, {}), structuredClone(row), {}]
    expect(copies.map((copy) => originOf(resource, copy))).toEqual(copies.map(() => undefined))
    expect(originOf({ ...resource }, row)).toBeUndefined()
  })

  it('is that of its copies by the framework', () => {
    const origin = originOf(resource, row)!
    const seen = withoutFields(row, ['meta'])
    expect(originOf(resource, seen)).toStrictEqual({ ...origin, complete: row })
    expect(originOf(resource, copyRow(seen, origin))).toBe(origin)
    expect([Object.isFrozen(seen), Object.isFrozen(copyRow(seen, origin))]).toEqual([true, true])
  })
})
