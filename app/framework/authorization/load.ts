import type { Request } from 'express'
import { loadRow } from '../database/rows.ts'
import { NotFound } from '../http/errors.ts'
import type { Guard } from '../http/routes.ts'
import { recordId } from '../resource/record-id.ts'
import type { Resource, RowOf } from '../resource/resource.ts'

export interface LoadGuard extends Guard {
  readonly kind: 'load'
  readonly resource: Resource
  /** The parameter of the path that holds the id. */
  readonly param: string
  readonly as: string
}

const loadedRows = new WeakMap<Request, Map<string, { resource: Resource; row: object }>>()

/**
 * Loads the record whose id is in the path, by primary key and never through the scope: the policy decides, next.
 * A missing row and a malformed id are 404. `as` names it where a route loads two.
 */
export function load(resource: Resource, options: { param?: string; as?: string } = {}): LoadGuard {
  const { param = 'id', as = nameOf(resource) } = options
  return {
    kind: 'load',
    resource,
    param,
    as,
    async run(req) {
      const id = recordId(req.params[param])
      const row = id === null ? null : await loadRow(resource, id)
      if (row === null) throw new NotFound()
      const rows = loadedRows.get(req) ?? new Map<string, { resource: Resource; row: object }>()
      loadedRows.set(req, rows.set(as, { resource, row }))
    },
  }
}

/** The row that `load` found under this name; throws when the route doesn't load it. */
export function loaded<R extends Resource>(req: Request, resource: R, as: string): RowOf<R> {
  const found = loadedRows.get(req)?.get(as)
  if (found?.resource !== resource) {
    throw new Error(`No ${resource.name} was loaded as '${as}'. Put load(${resource.name}) in the route.`)
  }
  return found.row as RowOf<R>
}

/** `Post` → `post`: the name a record is loaded under when the route doesn't say. */
export const nameOf = ({ name }: Resource): string => name.charAt(0).toLowerCase() + name.slice(1)
