import type { Request } from 'express'
import { currentDatabaseContext } from '../../database/executor.ts'
import { BadRequest } from '../../http/errors.ts'
import { digestOf, hasRequestKey, type RequestKey, requestKey } from '../../http/server/request-key.ts'
import type { Resource } from '../../resource/resource.ts'
import type { RecordId } from '../../resource/tables.ts'
import type { PolicyContext } from '../../policy/authorization-types.ts'

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

/** By the unit of the request, because the writes of `asSystem` receive no request. */
const units = new WeakMap<object, () => WriteKeys>()

/** Applies the key of the request, if it has one, to the writes of the current unit. A malformed key makes them fail. */
export function useRequestKey(req: Request, { userId, tenant }: PolicyContext): void {
  const unit = currentDatabaseContext()?.unit
  if (unit === undefined || !hasRequestKey(req)) return
  let keys: WriteKeys | undefined
  units.set(
    unit,
    () =>
      (keys ??= writeKeys(
        requestKey(req),
        tenant === null ? [userId, pathOf(req)] : [userId, pathOf(req), tenant],
      )),
  )
}

/**
 * Returns the key of the current request for its writes. Null without a key, and within a write that has one: its hooks
 * run once too. Throws `BadRequest` for a malformed key.
 */
export function currentWriteKeys(): WriteKeys | null {
  const place = currentDatabaseContext()
  if (place === undefined || place.isWrittenOnce) return null
  return units.get(place.unit)?.() ?? null
}

/**
 * The values of a form are part of its key: a form that was changed after going back is a new submission. A header with
 * another body is an error of the client.
 */
function writeKeys(
  { kind, value, content }: RequestKey,
  caller: readonly [userId: number | null, path: string, tenant?: RecordId],
): WriteKeys {
  const [userId] = caller
  if (kind === 'header' && userId === null) throw new BadRequest(GUEST)
  const request = [...caller, kind, value, kind === 'form' ? content.toString('base64') : '']
  return {
    keyOf: ({ name }, position) => digestOf([...request, name, position]),
    content,
    isGuest: userId === null,
  }
}

const GUEST = 'The header Idempotency-Key needs a session. Sign in, or send the request without this header.'
