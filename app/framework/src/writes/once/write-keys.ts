import type { Request } from 'express'
import type { Unit } from '../../database/unit.ts'
import { BadRequest } from '../../http/errors.ts'
import { digestOf, hasRequestKey, requestKey } from '../../http/server/request-key.ts'
import type { Resource } from '../../resource/resource.ts'

/** Returns the path without the slash at its end, because routes ignore that slash. */
const pathOf = ({ baseUrl, path }: Request) => (baseUrl + path).replace(/\/$/, '')

/** The key of a request, for its writes. */
export interface WriteKeys {
  /** Identifies the write at this position among the request's writes of the resource. */
  keyOf(resource: Resource, position: number): Buffer
  /** The digest of the request's query and body. */
  readonly content: Buffer
  /** Whether the caller has no session. */
  readonly isGuest: boolean
}

/**
 * Returns the key of a request for the writes of its unit. Null without a key, and until the caller is known. Throws
 * `BadRequest` for a malformed key. The values of a form are part of its key: a form that was changed after going back is a
 * new submission. A header with another body is an error of the client.
 */
export function writeKeysOf(unit: Unit): WriteKeys | null {
  const req = unit.cause.request
  if (req === undefined || unit.caller === undefined || !hasRequestKey(req)) return null
  const { userId, tenant } = unit.caller
  const { kind, value, content } = (unit.requestKey ??= requestKey(req))
  if (kind === 'header' && userId === null) throw new BadRequest(GUEST)
  const caller = tenant === null ? [userId, pathOf(req)] : [userId, pathOf(req), tenant]
  const request = [...caller, kind, value, kind === 'form' ? content.toString('base64') : '']
  return {
    keyOf: ({ name }, position) => digestOf([...request, name, position]),
    content,
    isGuest: userId === null,
  }
}

const GUEST = 'The header Idempotency-Key needs a session. Sign in, or send the request without this header.'
