import { createHash } from 'node:crypto'
import { z } from 'zod'
import { memoize } from '../resource/memoize.ts'
import { decodeCursor, encodeCursor } from '../pagination/cursor.ts'
import { type KeyValues, orderText, type SortKey } from '../pagination/keyset.ts'
import { isStorableText } from '../resource/fields/storable-text.ts'

/** The row to continue from, and the direction. */
export interface Seek<Place = KeyValues | null> {
  readonly way: 'next' | 'prev'
  /** Null is the end of the list. It is only valid with the direction `prev`. */
  readonly place: Place
}

/** A value that is too long for a token: the hexadecimal digest of its text. */
interface Digest {
  readonly sha256: string
}

/** The position in a token: the value of each key, or its digest. */
export type TokenPlace = readonly (string | null | Digest)[] | null

/** The longest position that a token contains completely, in bytes of JSON. */
const MAX_BYTES = 1_400
/** The most characters of a value in a longer position. Longer values become digests. */
const MAX_VALUE = 64

/** Tokens of another version are invalid. Increase the version when the meaning of tokens changes. */
const VERSION = 1

const Token = z.tuple([
  z.literal(VERSION),
  z.enum(['next', 'prev']),
  z.string(),
  z.array(z.union([z.string(), z.null(), z.strictObject({ sha256: z.string() })])).nullable(),
])

/** Returns the encoder and decoder of a list's tokens. A token is invalid for lists with another order or filter. */
export function cursorTokens(list: { name: string; keys: readonly SortKey[]; filter: unknown }) {
  const binding = bindingOf(JSON.stringify([list.name, orderText(list.keys), list.filter]))
  return {
    encode: ({ way, place }: Seek): string => encodeCursor([VERSION, way, binding, tokenPlace(place)]),
    /** Returns null for a token of another list or another version, and for a malformed one. */
    decode(token: string): Seek<TokenPlace> | null {
      const [, way, madeFor, place] = decodeCursor(token, Token) ?? []
      if (way === undefined || place === undefined || madeFor !== binding) return null
      const fitting = place === null ? way === 'prev' : fits(place, list.keys)
      return fitting ? { way, place } : null
    },
  }
}

/** Kept for as many lists, because most requests are for a few: about 100 kB. */
const MOST_BINDINGS = 200

/** Returns the text that binds a token to its list. */
const bindingOf = memoize(
  (list: string) => createHash('sha256').update(list).digest('base64url').slice(0, 11),
  MOST_BINDINGS,
)

/** Returns the SHA-256 digest of a text, as `encode(sha256(convert_to(text, 'UTF8')), 'hex')` does in Postgres. */
const digest = (text: string): Digest => ({ sha256: createHash('sha256').update(text).digest('hex') })

const tokenPlace = (place: KeyValues | null): TokenPlace =>
  place === null || Buffer.byteLength(JSON.stringify(place)) <= MAX_BYTES
    ? place
    : place.map((value) => (value !== null && value.length > MAX_VALUE ? digest(value) : value))

const fits = (place: NonNullable<TokenPlace>, keys: readonly SortKey[]): boolean =>
  place.length === keys.length &&
  keys.every(({ nulls }, index) => place[index] !== null || nulls !== undefined) &&
  place.every((value) => typeof value !== 'string' || isStorableText(value))
