import type { z } from 'zod'
import { decodeCursor, decodeSigned } from './cursor.ts'
import { type ListUrl, listParams } from './list-param.ts'
import { type OfPages, PageRequest, pageRequest } from './page-request.ts'
import { pageSizes, type PageSizes } from './page-size.ts'

/**
 * The page that a client requests by cursor. The size is limited as in `PageRequest`. The token is validated when the
 * list is read. Never throws.
 */
export class CursorRequest {
  /** Null for the beginning of the list. */
  readonly cursor: string | null
  readonly size: number
  /** The page sizes of the list. */
  readonly sizes: PageSizes

  constructor(cursor: string | null = null, size?: number, sizes = pageSizes()) {
    this.cursor = cursor === '' ? null : cursor
    this.size = new PageRequest(1, size, sizes).size
    this.sizes = sizes
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
 * `comments_size`. With `cursorRequest(req, posts)`, the page sizes of the repository apply. A repeated `cursor` is an
 * invalid token. Throws only for an invalid `pageSize`.
 */
export function cursorRequest(req: ListUrl, list: OfPages = {}): CursorRequest {
  // No token contains a comma. If one value counted, an export with two of them could silently begin again.
  const { size, sizes } = pageRequest(req, list)
  return new CursorRequest(listParams(req, list)('cursor').join(','), size, sizes)
}

/** Returns whether the URL has the parameter `cursor`. An empty value requests the first cursor page of a list. */
export const requestsCursorPage = (req: ListUrl): boolean => listParams(req)('cursor').length > 0
