import { createHash } from 'node:crypto'
import { z } from 'zod'
import { decodeCursor, encodeCursor } from '../pagination/cursor.ts'
import { type KeyValues, orderText, type SortKey } from '../pagination/keyset.ts'

/** From which row on, and which way. */
export interface Seek {
  readonly way: 'next' | 'prev'
  readonly place: KeyValues
}

/** Tokens of another version are invalid; raise it when their meaning changes. */
const VERSION = 1

const Token = z.tuple([
  z.literal(VERSION),
  z.enum(['next', 'prev']),
  z.string(),
  z.array(z.string().nullable()),
])

/** Tokens of one list: made for its order and its filter, and of no use in another. */
export function cursorTokens(list: { name: string; keys: readonly SortKey[]; filter: unknown }) {
  const binding = createHash('sha256')
    .update(JSON.stringify([list.name, orderText(list.keys), list.filter]))
    .digest('base64url')
    .slice(0, 11)
  return {
    encode: ({ way, place }: Seek): string => encodeCursor([VERSION, way, binding, place]),
    /** Null for a token of another list, of another version, or of nobody's making. */
    decode(token: string): Seek | null {
      const [, way, madeFor, place] = decodeCursor(token, Token) ?? []
      if (way === undefined || place === undefined || madeFor !== binding) return null
      return fits(place, list.keys) ? { way, place } : null
    },
  }
}

const fits = (place: KeyValues, keys: readonly SortKey[]): boolean =>
  place.length === keys.length &&
  keys.every(({ nulls }, index) => place[index] !== null || nulls !== undefined)
