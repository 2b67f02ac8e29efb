import type { Request } from 'express'
import type { Origin } from '../database/row-origins.ts'
import { uncheckedOrigin } from '../database/rows.ts'
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
  let first: string | undefined
  // All rows, because a later one may have to be refused.
  for (const { resource, id } of originsIn(data)) {
    const decidedOn = isDecidedOn(req, resource, id)
    if (decidedOn === 'yes') continue
    const start = `${routeOf(req)}: the response contains ${resource.name} ${id}`
    if (decidedOn === 'partly') throw new Error(start + unseenFields(resource))
    if (hidesFields(policies.get(resource))) throw new Error(start + undecided(resource))
    first ??= start + undecided(resource)
  }
  return first === undefined ? null : { route: routeOf(req), message: first }
}

/** Returns the method and the path of the route. */
function routeOf(req: Request): string {
  const { path = req.path } = (req.route ?? {}) as { path?: string }
  return `${req.method} ${path}`
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

/** Returns the origins of the rows in a value that `find` and `load` returned. */
function originsIn(value: unknown): Origin[] {
  const origins: Origin[] = []
  if (isObject(value)) addOrigins(value, origins, new Set())
  return origins
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function addOrigins(value: object, origins: Origin[], visited: Set<object>): void {
  if (visited.has(value)) return
  const origin = uncheckedOrigin(value)
  if (origin !== undefined) origins.push(origin)
  else
    visitObjects(value, (inner) => {
      // Rows of a list contain no objects, so that they are not added: that would take longer than to search them.
      visited.add(value)
      addOrigins(inner, origins, visited)
    })
}

/** Visits the objects in a plain object or a collection. Other objects, such as a connection, hold no data. */
function visitObjects(value: object, visit: (inner: object) => void): void {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) {
    // A loop, since `Object.values` of each row would take longer than searching them.
    for (const name in value) {
      const inner: unknown = value[name as never]
      if (isObject(inner)) visit(inner)
    }
  } else for (const inner of valuesOf(value)) if (isObject(inner)) visit(inner)
}

function valuesOf(value: object): Iterable<unknown> {
  if (Array.isArray(value)) return value
  return value instanceof Map || value instanceof Set ? value.values() : []
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
