import { describe, expect, it } from 'vitest'
import { memoize, weakMemoize } from './memoize.ts'

describe('memoize', () => {
  it('computes the result of a key once, also undefined', () => {
    const computed: number[] = []
    const double = memoize((key: number) => (computed.push(key), key === 0 ? undefined : 2 * key), 10)
    expect([double(1), double(0), double(1), double(0)]).toEqual([2, undefined, 2, undefined])
    expect(computed).toEqual([1, 0])
  })

  it('drops the oldest results beyond the limit', () => {
    const computed: string[] = []
    const upper = memoize((key: string) => (computed.push(key), key.toUpperCase()), 2)
    expect(['a', 'b', 'c', 'b', 'a', 'c'].map(upper)).toEqual(['A', 'B', 'C', 'B', 'A', 'C'])
    expect(computed).toEqual(['a', 'b', 'c', 'a'])
  })

  it('throws the error of a key at each call', () => {
    const fail = memoize((key: string) => {
      throw new Error(key)
    }, 2)
    expect(() => fail('a')).toThrow('a')
    expect(() => fail('a')).toThrow('a')
  })
})

describe('weakMemoize', () => {
  it('computes the result of an object once, also false and an empty text', () => {
    const [one, other] = [{ value: false }, { value: '' }]
    const computed: object[] = []
    const valueOf = weakMemoize((key: { value: string | boolean }) => (computed.push(key), key.value))
    expect([valueOf(one), valueOf(other), valueOf(one), valueOf(other)]).toEqual([false, '', false, ''])
    expect(computed).toEqual([one, other])
  })

  it('computes again after an error', () => {
    const key = {}
    let calls = 0
    const fail = weakMemoize((): object => {
      throw new Error(`call ${++calls}`)
    })
    expect(() => fail(key)).toThrow('call 1')
    expect(() => fail(key)).toThrow('call 2')
  })
})
