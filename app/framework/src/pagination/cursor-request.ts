import type { z } from 'zod'
import { decodeCursor, decodeSigned } from './cursor.ts'
import { type ListUrl, listParams, type OfList } from './list-param.ts'
import { DEFAULT_PAGE_SIZE, PageRequest, pageRequest } from './page-request.ts'

/**
 * The page that a client requests by cursor. The size is limited as in `PageRequest`. The token is validated when the
 * list is read. Never throws.
 */
export class CursorRequest {
  /** Null for the beginning of the list. */
  readonly cursor: string | null
  readonly size: number

  constructor(cursor: string | null = null, size = DEFAULT_PAGE_SIZE) {
    this.cursor = cursor === '' ? null : cursor
    this.size = new PageRequest(1, size).size
  }

  /** Returns the value of an `encodeCursor` token. Returns null without a token, and for an invalid token. */
  decode<Schema extends z.ZodType>(schema: Schema): z.output<Schema> | null {
    return this.cursor === null ? null : decodeCursor(this.cursor, schema)
  }

  /** Returns the value of an `encodeSigned` token. Returns null without a token, and if none of the keys signed it. */
  decodeSigned<Schema extends z.ZodType>(schema: Schema, keys: readonly string[]): z.output<Schema> | null {
    return this.cursor === null ? null : decodeSigned(this.cursor, schema, keys)
  }
}

/**
 * Reads `cursor` and `size` from the URL. With `{ prefix: 'comments' }`, reads `comments_cursor` and
 * `comments_size`. A repeated `cursor` is an invalid token. Never throws.
 */
export function cursorRequest(req: ListUrl, list?: OfList): CursorRequest {
  // No token contains a comma. If one value counted, an export with two of them could silently begin again.
  return new CursorRequest(listParams(req, list)('cursor').join(','), pageRequest(req, list).size)
}

/** Returns whether the URL has the parameter `cursor`. An empty value requests the first cursor page of a list. */
export const requestsCursorPage = (req: ListUrl): boolean => listParams(req)('cursor').length > 0
