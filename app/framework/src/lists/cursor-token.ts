import { createHash } from 'node:crypto'
import { z } from 'zod'
import { decodeCursor, encodeCursor } from '../pagination/cursor.ts'
import { type KeyValues, orderText, type SortKey } from '../pagination/keyset.ts'

/** The row to continue from, and the direction. */
export interface Seek<Place = KeyValues | null> {
  readonly way: 'next' | 'prev'
  /** Null is the end of the list. It is only valid with the direction `prev`. */
  readonly place: Place
}

/** The position in a token: the values of all keys, or only the value of the last key if they are too long. */
type TokenPlace = KeyValues | string | null

/** The longest position that a token contains completely, in bytes of JSON. */
const MAX_BYTES = 1_400

/** Tokens of another version are invalid. Increase the version when the meaning of tokens changes. */
const VERSION = 1

const Token = z.tuple([
  z.literal(VERSION),
  z.enum(['next', 'prev']),
  z.string(),
  z.union([z.array(z.string().nullable()), z.string(), z.null()]),
])

/** Returns the encoder and decoder of a list's tokens. A token is invalid for lists with another order or filter. */
export function cursorTokens(list: { name: string; keys: readonly SortKey[]; filter: unknown }) {
  const binding = createHash('sha256')
    .update(JSON.stringify([list.name, orderText(list.keys), list.filter]))
    .digest('base64url')
    .slice(0, 11)
  return {
    encode: ({ way, place }: Seek): string => encodeCursor([VERSION, way, binding, tokenPlace(place)]),
    /** Returns null for a token of another list or another version, and for a malformed one. */
    decode(token: string): Seek<TokenPlace> | null {
      const [, way, madeFor, place] = decodeCursor(token, Token) ?? []
      if (way === undefined || place === undefined || madeFor !== binding) return null
      const fitting = Array.isArray(place) ? fits(place, list.keys) : place !== null || way === 'prev'
      return fitting ? { way, place } : null
    },
  }
}

const tokenPlace = (place: KeyValues | null): TokenPlace =>
  Buffer.byteLength(JSON.stringify(place)) > MAX_BYTES ? (place?.at(-1) ?? null) : place

const fits = (place: KeyValues, keys: readonly SortKey[]): boolean =>
  place.length === keys.length &&
  keys.every(({ nulls }, index) => place[index] !== null || nulls !== undefined)
