import { describe, expect, it } from 'vitest'
import { constraintName } from './constraint-name.ts'

describe('constraintName', () => {
  it('joins its parts', () => {
    expect(constraintName('posts', 'title', 'length')).toBe('posts_title_length')
    expect(constraintName('a'.repeat(60), 'bc')).toBe(`${'a'.repeat(60)}_bc`)
  })

  it.each(['a', 'é', '京'])('shortens names of more than 63 bytes, and keeps them unique (%s)', (letter) => {
    const names = ['b', 'c', 'd'].map((end) => constraintName(letter.repeat(63), end))
    expect(new Set(names).size).toBe(3)
    for (const name of names) {
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63)
      expect(name).toMatch(new RegExp(`^${letter}{18,}_[0-9a-f]{8}$`))
    }
  })
})
