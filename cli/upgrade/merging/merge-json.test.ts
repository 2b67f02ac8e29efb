import { describe, expect, it } from 'vitest'
import { mergeJson } from './merge-json.ts'

const merged = (base: unknown, ours: unknown, theirs: unknown) =>
  mergeJson({ base, ours, theirs } as Parameters<typeof mergeJson>[0])

describe('mergeJson', () => {
  it('merges the keys that each side added, changed or removed', () => {
    const base = { name: 'a', scripts: { dev: '1', test: '2', old: '3' } }
    const ours = { name: 'mine', scripts: { dev: '1', test: '2', old: '3', deploy: '4' } }
    const theirs = { name: 'a', scripts: { dev: '1b', test: '2', bench: '5' } }
    expect(merged(base, ours, theirs)).toEqual({
      value: { name: 'mine', scripts: { dev: '1b', test: '2', bench: '5', deploy: '4' } },
      conflicts: [],
    })
  })

  it('keeps the order of the application, and inserts a new key after its predecessor in the new version', () => {
    const { value } = merged({ a: 1, c: 3 }, { z: 0, a: 1, c: 3 }, { a: 1, b: 2, c: 3 })
    expect(JSON.stringify(value)).toBe('{"z":0,"a":1,"b":2,"c":3}')
  })

  it('keeps the application’s value of a key that both sides changed, and returns the key', () => {
    expect(merged({ a: { b: 1 } }, { a: { b: 2 } }, { a: { b: 3 } })).toEqual({
      value: { a: { b: 2 } },
      conflicts: ['a.b'],
    })
    expect(merged({ a: 1 }, { a: 2 }, {})).toEqual({ value: { a: 2 }, conflicts: ['a'] })
  })

  it('omits a key that the application removed, even if the new version changed it', () => {
    expect(merged({ a: 1 }, {}, { a: 2 })).toEqual({ value: {}, conflicts: [] })
  })

  it('merges lists of strings as sets', () => {
    const { value, conflicts } = merged(['a', 'b', 'c'], ['a', 'c', 'own'], ['a', 'b', 'c', 'new'])
    expect([value, conflicts]).toEqual([['a', 'c', 'new', 'own'], []])
  })

  it('keeps sorted lists sorted', () => {
    const { value } = merged(['a', 'd'], ['a', 'b', 'd'], ['a', 'c', 'd'])
    expect(value).toEqual(['a', 'b', 'c', 'd'])
  })

  it('merges lists of objects by their identifying keys', () => {
    const route = (path: string, guards: string[]) => ({ method: 'GET', path, name: path, guards })
    const { value, conflicts } = merged(
      [route('/a', ['public']), route('/d', [])],
      [route('/a', ['public']), route('/b', ['own']), route('/d', [])],
      [route('/a', ['secured']), route('/c', []), route('/d', [])],
    )
    expect(value).toEqual([route('/a', ['secured']), route('/b', ['own']), route('/c', []), route('/d', [])])
    expect(conflicts).toEqual([])
  })

  it('merges lists of other entries too, unless both sides changed the same one', () => {
    const [a, b, own, fresh] = [{ files: ['a'] }, { files: ['b'] }, { files: ['own'] }, { files: ['new'] }]
    expect(merged([a, b], [a, b, own], [b, fresh])).toEqual({ value: [b, fresh, own], conflicts: [] })
    expect(merged([a, a], [a, a, own], [a])).toEqual({ value: [a, own], conflicts: [] })
    expect(merged({ list: [a] }, { list: [own] }, { list: [fresh] })).toEqual({
      value: { list: [own] },
      conflicts: ['list'],
    })
  })
})
