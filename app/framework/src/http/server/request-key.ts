import { hash } from 'node:crypto'
import type { Request } from 'express'
import { BadRequest } from '../errors.ts'

/** The key of a POST that its client may send again. */
export interface RequestKey {
  /** The header `Idempotency-Key`, or the token of a form. */
  readonly kind: 'header' | 'form'
  readonly value: string
  /** The SHA-256 digest of the query and the body, without the token. */
  readonly content: Buffer
}

/** The field of a form with its token. */
export const TOKEN_FIELD = '_token'

/** Returns whether the request has a key, which may be malformed. */
export const hasRequestKey = (req: Request): boolean =>
  req.method === 'POST' && (req.get(HEADER) !== undefined || tokenOf(req) !== undefined)

/** Returns the key of a request that has one. Throws `BadRequest` for a malformed key. */
export function requestKey(req: Request): RequestKey {
  const header = req.get(HEADER)
  const kind = header === undefined ? 'form' : 'header'
  const value = header ?? tokenOf(req)
  if (typeof value !== 'string' || !VALID.test(value)) throw new BadRequest(REMEDIES[kind])
  return { kind, value, content: digestOf([req.query, contentOf(req)]) }
}

const HEADER = 'Idempotency-Key'
const VALID = /^[\x20-\x7e]{1,255}$/
const REMEDIES = {
  header: 'The header Idempotency-Key is invalid. Send 1 to 255 printable ASCII characters, such as a UUID.',
  form: `The field ${TOKEN_FIELD} is invalid. Reload the form and submit it again.`,
}

/** Returns the SHA-256 digest of a JSON value. The order of the fields doesn't matter. */
export const digestOf = (value: unknown): Buffer =>
  hash('sha256', JSON.stringify(value, sortFields), 'buffer')

const sortFields = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value

const tokenOf = (req: Request): unknown => (isForm(req) ? formOf(req)[TOKEN_FIELD] : undefined)

function contentOf(req: Request): unknown {
  if (!isForm(req)) return req.body ?? null
  const { [TOKEN_FIELD]: _token, ...content } = formOf(req)
  return content
}

const isForm = (req: Request): boolean => req.is('urlencoded') === 'urlencoded'
const formOf = (req: Request) => (req.body ?? {}) as Record<string, unknown>
