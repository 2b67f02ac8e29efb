import type { z } from 'zod'
import { decodeCursor, decodeSigned } from './cursor.ts'
import { listParam } from './list-param.ts'
import { DEFAULT_PAGE_SIZE, PageRequest, pageRequest } from './page-request.ts'

/** From which row on a list is asked for. The token is read where the list is known; the size as `PageRequest` reads it. */
export class CursorRequest {
  /** Null for the beginning of the list. */
  readonly cursor: string | null
  readonly size: number

  constructor(cursor: string | null = null, size = DEFAULT_PAGE_SIZE) {
    this.cursor = cursor === '' ? null : cursor
    this.size = new PageRequest(1, size).size
  }

  /** The value of an `encodeCursor` token; null without one, and for one that is none. */
  decode<Schema extends z.ZodType>(schema: Schema): z.output<Schema> | null {
    return this.cursor === null ? null : decodeCursor(this.cursor, schema)
  }

  /** The value of an `encodeSigned` token; null without one, and unless a key of the ring signed it. */
  decodeSigned<Schema extends z.ZodType>(schema: Schema, keys: readonly string[]): z.output<Schema> | null {
    return this.cursor === null ? null : decodeSigned(this.cursor, schema, keys)
  }
}

interface Asked {
  readonly originalUrl: string
}

/**
 * Reads `cursor` and `size` from the address, or `comments_cursor` and `comments_size` with the prefix `comments`; of
 * several tokens the last one counts. Never throws.
 */
export function cursorRequest(req: Asked, { prefix }: { readonly prefix?: string } = {}): CursorRequest {
  const { size } = pageRequest(req, { ...(prefix !== undefined && { prefix }) })
  return new CursorRequest(tokens(req, listParam('cursor', prefix)).at(-1) ?? null, size)
}

/** Whether the address has a `cursor`, an empty one too: that asks for the beginning of a list that is walked by cursor. */
export const asksForCursor = (req: Asked): boolean => tokens(req, 'cursor').length > 0

const tokens = ({ originalUrl }: Asked, name: string) =>
  new URLSearchParams(originalUrl.replace(/^[^?]*\??/, '&')).getAll(name)
