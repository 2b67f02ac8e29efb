import { createHash } from 'node:crypto'
import { z } from 'zod'
import { decodeCursor, encodeCursor } from '../pagination/cursor.ts'
import { type KeyValues, orderText, type SortKey } from '../pagination/keyset.ts'

/** From which row on, and which way. */
export interface Seek<Place = KeyValues | null> {
  readonly way: 'next' | 'prev'
  /** Null for the end of the list, on the way back. */
  readonly place: Place
}

/** As a token has it: where the keys of a row are too long for one, the last of them alone, which no other row has. */
type Written = KeyValues | string | null

/** Bytes of JSON that a token has room for. */
const ROOM = 1_400

/** Tokens of another version are invalid; raise it when their meaning changes. */
const VERSION = 1

const Token = z.tuple([
  z.literal(VERSION),
  z.enum(['next', 'prev']),
  z.string(),
  z.union([z.array(z.string().nullable()), z.string(), z.null()]),
])

/** Tokens of one list: made for its order and its filter, and of no use in another. */
export function cursorTokens(list: { name: string; keys: readonly SortKey[]; filter: unknown }) {
  const binding = createHash('sha256')
    .update(JSON.stringify([list.name, orderText(list.keys), list.filter]))
    .digest('base64url')
    .slice(0, 11)
  return {
    encode: ({ way, place }: Seek): string => encodeCursor([VERSION, way, binding, written(place)]),
    /** Null for a token of another list, of another version, or of nobody's making. */
    decode(token: string): Seek<Written> | null {
      const [, way, madeFor, place] = decodeCursor(token, Token) ?? []
      if (way === undefined || place === undefined || madeFor !== binding) return null
      const fitting = Array.isArray(place) ? fits(place, list.keys) : place !== null || way === 'prev'
      return fitting ? { way, place } : null
    },
  }
}

const written = (place: KeyValues | null): Written =>
  Buffer.byteLength(JSON.stringify(place)) > ROOM ? (place?.at(-1) ?? null) : place

const fits = (place: KeyValues, keys: readonly SortKey[]): boolean =>
  place.length === keys.length &&
  keys.every(({ nulls }, index) => place[index] !== null || nulls !== undefined)
