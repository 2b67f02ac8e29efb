import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { decodeCursor, decodeSigned, encodeCursor, encodeSigned, MAX_CURSOR_LENGTH } from './cursor.ts'

const anything = z.unknown()
const NEW = 'the new key of the ring, long enough'
const OLD = 'the old key of the ring, long enough'
const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)
const base64url = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64url')

describe('encodeCursor', () => {
  it('returns text that is safe in a URL', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(encodeCursor(value)).toMatch(/^[A-Za-z0-9_-]+$/)
      }),
    )
  })

  it('returns a token that decodes to the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(decodeCursor(encodeCursor(value), anything)).toStrictEqual(value)
      }),
    )
  })

  it('throws if the token is longer than the maximum', () => {
    const longest = 'x'.repeat(MAX_CURSOR_LENGTH * 0.75 - 2)
    expect(encodeCursor(longest)).toHaveLength(MAX_CURSOR_LENGTH)
    expect(() => encodeCursor(`${longest}x`)).toThrow(RangeError)
  })
})

describe('decodeCursor', () => {
  it.each([
    '',
    '===',
    'garbage',
    'bnVsbA==',
    'bnV sbA',
    ' bnVsbA',
    'bnVsbB',
    'bnVs+A',
    'bnVs/A',
    '%62nVsbA',
    base64url('{'),
    base64url('undefined'),
    base64url('NaN'),
    base64url(Buffer.from([0x22, 0xff, 0x22])),
    base64url('1 2'),
    base64url('7 '),
    base64url('7\n'),
    base64url(' 7'),
    base64url('\ufeff7'),
  ])('returns null for %j', (token) => {
    expect(decodeCursor(token, anything)).toBeNull()
  })

  it.each([
    [null, z.string()],
    [[], z.tuple([z.string()])],
    [{ id: {} }, z.strictObject({ id: z.string() })],
    [{ id: '1; drop table notes' }, z.strictObject({ id: z.string().regex(/^\d+$/) })],
    ['7', z.number()],
  ])('returns null for %j if the schema rejects the value', (value, schema) => {
    expect(decodeCursor(encodeCursor(value), schema)).toBeNull()
  })

  it('returns null for a token that is longer than the maximum', () => {
    expect(decodeCursor(base64url(JSON.stringify('x'.repeat(10_000))), anything)).toBeNull()
  })

  it('never throws', () => {
    const bytes = fc.uint8Array().map((array) => base64url(Buffer.from(array)))
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), bytes), (text) => {
        expect(() => decodeCursor(text, anything)).not.toThrow()
      }),
    )
  })

  it('accepts only one text for the same bytes', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('')
    // 10 bytes of JSON are 14 characters. The last one has two bits of the value and four unused bits.
    const token = encodeCursor('12345678').slice(0, -1)
    const read = alphabet.filter((last) => decodeCursor(token + last, anything) !== null)
    expect(read).toHaveLength(1)
  })
})

describe('encodeSigned', () => {
  it('returns a token that is valid only with the key that signed it', () => {
    fc.assert(
      fc.property(json, (value) => {
        const token = encodeSigned(value, [OLD])
        expect(token).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/)
        expect(decodeSigned(token, anything, [NEW, OLD])).toStrictEqual(value)
        expect(decodeSigned(encodeSigned(value, [NEW, OLD]), anything, [NEW])).toStrictEqual(value)
        expect(decodeSigned(encodeSigned(value, [NEW, OLD]), anything, [OLD])).toBeNull()
      }),
    )
  })

  it('has the same length limit as a plain token', () => {
    const value = 'x'.repeat(MAX_CURSOR_LENGTH * 0.75 - 10)
    expect(() => encodeCursor(value)).not.toThrow()
    expect(() => encodeSigned(value, [NEW])).toThrow(RangeError)
  })

  it.each([[[]], [['short']], [[NEW, '']]])('rejects the keys %j with the requirements', (keys) => {
    expect(() => encodeSigned(1, keys)).toThrow(/32 characters/)
    expect(() => decodeSigned(encodeSigned(1, [NEW]), anything, keys)).toThrow(/32 characters/)
  })
})

describe('decodeSigned', () => {
  it('rejects a token with one changed character', () => {
    const token = encodeSigned({ tenant: 7, after: '2024-01-01 00:00:00.123456+00' }, [NEW])
    const change = fc.tuple(fc.nat(token.length - 1), fc.constantFrom('A', 'a', '0', '_', '-', '.', '='))
    fc.assert(
      fc.property(change, ([at, character]) => {
        fc.pre(token[at] !== character)
        const changed = token.slice(0, at) + character + token.slice(at + 1)
        expect(decodeSigned(changed, anything, [NEW])).toBeNull()
      }),
    )
  })

  it('rejects a part of a token, and a token with additional text', () => {
    const token = encodeSigned('x', [NEW])
    const [payload = '', mac = ''] = token.split('.')
    for (const other of [
      '',
      '.',
      payload,
      `${payload}.`,
      `.${mac}`,
      `${token}.`,
      `${token}.${mac}`,
      `${payload}.${mac}A`,
      ` ${token}`,
    ])
      expect(decodeSigned(other, anything, [NEW])).toBeNull()
  })

  it('returns null if the schema rejects the value', () => {
    expect(decodeSigned(encodeSigned('7', [NEW]), z.number(), [NEW])).toBeNull()
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(decodeSigned(text, anything, [NEW])).toBeNull()
        expect(decodeSigned(`${text}.${text}`, anything, [NEW])).toBeNull()
      }),
    )
  })
})
