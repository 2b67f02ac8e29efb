import type { Request } from 'express'
import { type Origin, uncheckedOrigin } from '../database/rows.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import { stateOf } from './request-state.ts'

interface UncheckedRow {
  /** The method and the path of the route: `GET /posts/:id`. */
  readonly route: string
  readonly message: string
}

/**
 * Returns the route and a message about the first row in the data of a response that no policy decided on for this
 * caller; null if all is well. Rows come from `find` and `load`; rows of lists and of `asSystem` are not concerned. Throws
 * for a row with fields that the caller doesn't see, also in production.
 */
export function uncheckedRow(req: Request, data: unknown): UncheckedRow | null {
  const origin = firstUnchecked(req, data, new Set())
  if (origin === undefined) return null
  const { resource, id } = origin
  const { name } = resource
  const { path = req.path } = (req.route ?? {}) as { path?: string }
  const route = `${req.method} ${path}`
  const start = `${route}: the response contains ${name} ${id}`
  if (isDecidedOn(req, resource, id) === 'partly')
    throw new Error(
      `${start} with fields that the caller doesn't see. Use the row that record(req, ${name}, 'show') or ` +
        `authorizeRecord(req, 'show', ${name}, …) returns.`,
    )
  const message =
    `${start}, but no policy decided on it. Put authorize('show', ${name}) into the route, call ` +
    `authorizeRecord(req, 'show', ${name}, …), or take the row from a list of visibleTo(ctx).`
  return { route, message }
}

function firstUnchecked(req: Request, value: unknown, visited: Set<object>): Origin | undefined {
  if (typeof value !== 'object' || value === null || visited.has(value)) return undefined
  visited.add(value)
  const origin = uncheckedOrigin(value)
  if (origin !== undefined) return isDecidedOn(req, origin.resource, origin.id) === 'yes' ? undefined : origin
  for (const inner of valuesIn(value)) {
    const found = firstUnchecked(req, inner, visited)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the values of a collection or of a plain object. Other objects, such as a connection, hold no data. */
function valuesIn(value: object): Iterable<unknown> {
  if (Array.isArray(value)) return value as unknown[]
  if (value instanceof Map || value instanceof Set) return value.values()
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null ? Object.values(value) : []
}

/**
 * Returns an `onUncheckedRow` for `useAuthorization` that writes one message for each route, for production: a route
 * that shows such a row keeps working until it is fixed.
 */
export function uncheckedRowWarning(
  write: (message: string) => void,
): (message: string, route: string) => void {
  const warned = new Set<string>()
  return (message, route) => {
    if (warned.has(route)) return
    warned.add(route)
    write(message)
  }
}

interface DecidedRecord {
  resource: Resource
  id: RecordId
  /** Whether the caller sees all its fields. */
  isComplete: boolean
}

/** Notes that a policy allowed the caller some action on this record. */
export function noteDecidedOn(req: Request, { resource, id, isComplete }: DecidedRecord): void {
  const { decidedOn, partlySeen } = stateOf(req)
  const key = `${resource.name} ${id}`
  decidedOn.add(key)
  if (!isComplete) partlySeen.add(key)
}

/** Returns whether a policy allowed the caller some action on this record, and all its fields. */
function isDecidedOn(req: Request, { name }: Resource, id: RecordId): 'no' | 'partly' | 'yes' {
  const { decidedOn, partlySeen } = stateOf(req)
  const key = `${name} ${id}`
  if (!decidedOn.has(key)) return 'no'
  return partlySeen.has(key) ? 'partly' : 'yes'
}
