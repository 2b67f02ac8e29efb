import type { Request } from 'express'
import { type Origin, uncheckedOrigin } from '../database/rows.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import type { AnyPolicy } from './authorization-types.ts'
import { restrictedFields } from './declared-fields.ts'
import { stateOf } from './request-state.ts'

interface UncheckedRow {
  /** The method and the path of the route: `GET /posts/:id`. */
  readonly route: string
  readonly message: string
}

/**
 * Returns the route and a message about the first row in the data of a response that no policy decided on for this
 * caller; null if all is well. Rows come from `find` and `load`; rows of lists and of `asSystem` are not concerned. Throws
 * for a row with fields that the caller may not see, also in production.
 */
export function uncheckedRow(req: Request, data: unknown, policies: Policies): UncheckedRow | null {
  const { path = req.path } = (req.route ?? {}) as { path?: string }
  const route = `${req.method} ${path}`
  let first: string | undefined
  // All rows, because a later one may have to be refused.
  for (const { resource, id } of addOrigins(data, [])) {
    const decidedOn = isDecidedOn(req, resource, id)
    if (decidedOn === 'yes') continue
    const start = `${route}: the response contains ${resource.name} ${id}`
    if (decidedOn === 'partly') throw new Error(start + unseenFields(resource))
    if (hidesFields(policies.get(resource))) throw new Error(start + undecided(resource))
    first ??= start + undecided(resource)
  }
  return first === undefined ? null : { route, message: first }
}

type Policies = ReadonlyMap<Resource, AnyPolicy>

/** Returns whether some callers don't see all fields. */
const hidesFields = (policy: AnyPolicy | undefined) => restrictedFields(policy?.fields ?? {}).length > 0

const unseenFields = ({ name }: Resource) =>
  ` with fields that the caller doesn't see. Use the row that record(req, ${name}, 'show') or ` +
  `authorizeRecord(req, 'show', ${name}, …) returns.`

const undecided = ({ name }: Resource) =>
  `, but no policy decided on it. Put authorize('show', ${name}) into the route, call ` +
  `authorizeRecord(req, 'show', ${name}, …), or take the row from a list of visibleTo(ctx).`

/** Adds the origins of the rows in a value that `find` and `load` returned. */
function addOrigins(value: unknown, origins: Origin[], visited = new Set<object>()): Origin[] {
  if (typeof value !== 'object' || value === null || visited.has(value)) return origins
  visited.add(value)
  const origin = uncheckedOrigin(value)
  if (origin !== undefined) origins.push(origin)
  else for (const inner of valuesIn(value)) addOrigins(inner, origins, visited)
  return origins
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
  const { decidedOn, partlySeen } = stateOf(req).records
  const key = `${resource.name} ${id}`
  decidedOn.add(key)
  if (!isComplete) partlySeen.add(key)
}

/** Returns whether a policy allowed the caller some action on this record, and all its fields. */
function isDecidedOn(req: Request, { name }: Resource, id: RecordId): 'no' | 'partly' | 'yes' {
  const { decidedOn, partlySeen } = stateOf(req).records
  const key = `${name} ${id}`
  if (!decidedOn.has(key)) return 'no'
  return partlySeen.has(key) ? 'partly' : 'yes'
}
