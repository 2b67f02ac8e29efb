import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { utf8 } from './utf8.ts'

describe('utf8', () => {
  it.each(['', 'a', 'é', '–', '\u{1f600}', 'a\ud800b', '\udc00', `${'x'.repeat(100_000)}\u{1f600}`])(
    'returns the same bytes as Buffer.from (%#)',
    (text) => {
      expect(utf8(text).equals(Buffer.from(text))).toBe(true)
    },
  )

  it('returns the same bytes as Buffer.from for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8(text).equals(Buffer.from(text))).toBe(true)
      }),
    )
  })
})
