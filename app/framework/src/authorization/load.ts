import type { Request } from 'express'
import { loadRow } from '../database/rows.ts'
import { NotFound } from '../http/errors.ts'
import { guard, type Guard } from '../http/routes.ts'
import { readId, recordId, recordUuid } from '../resource/record-id.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import type { ColumnOf } from '../resource/tables.ts'

export interface LoadGuard extends Guard {
  readonly kind: 'load'
  readonly resource: Resource
  /** The parameter of the path that holds the id. */
  readonly param: string
  readonly as: string
  /** The columns that hold the id of another parameter. */
  readonly below: Readonly<Record<string, string>>
  /** Finds what is in the trash too. */
  readonly withTrashed: boolean
}

const loadedRows = new WeakMap<Request, Map<string, { resource: Resource; row: object }>>()

interface LoadOptions<R extends Resource> {
  /** The path parameter with the id; defaults to `id`. */
  param?: string
  /** The name of the record, if a route loads two: `record(req, Post, 'show', { from: 'name' })`. */
  as?: string
  /** The parents in the path: with `{ post_id: 'post' }`, `post_id` must equal the path parameter `post`. */
  below?: { readonly [Column in ColumnOf<R['table']>]?: string }
  /** Also finds rows in the trash, for a route that restores them. */
  withTrashed?: boolean
}

/**
 * Guard that loads the record whose id is in the path. Sends one query by primary key, outside of the scope: the
 * policy decides, in the guard behind it. Throws `NotFound` if the row doesn't exist, if the id is malformed, and if
 * the record belongs to another parent than the path says (`below`).
 *
 * `mount` throws if the path has no such parameter.
 *
 * ```ts
 * 'GET /posts/:post/comments/:id': [
 *   publicRoute(),
 *   load(Comment, { below: { post_id: 'post' } }),
 *   authorize('show', Comment),
 *   show,
 * ]
 * ```
 */
export function load<R extends Resource>(resource: R, options: LoadOptions<R> = {}): LoadGuard {
  const { param = 'id', as = nameOf(resource), withTrashed = false } = options
  const below: Record<string, string> = { ...options.below }
  return guard({
    kind: 'load',
    resource,
    param,
    as,
    below,
    withTrashed,
    async run(req) {
      const id = readId(resource.idKind, req.params[param])
      const row = id === null ? null : await loadRow(resource, id, withTrashed ? 'all' : 'live')
      if (row === null || !isBelow(row, below, req)) throw new NotFound()
      const rows = loadedRows.get(req) ?? new Map<string, { resource: Resource; row: object }>()
      loadedRows.set(req, rows.set(as, { resource, row }))
    },
    check(_before, _app, path) {
      const missing = [param, ...Object.values(below)].find((name) => !path.split('/').includes(`:${name}`))
      if (missing !== undefined)
        throw new Error(`load(${resource.name}) looks for ':${missing}', which is not in the path.`)
    },
  })
}

function isBelow(row: object, below: object, { params }: Request): boolean {
  const columns = row as Readonly<Record<string, unknown>>
  return Object.entries(below).every(([column, param]) => {
    const text = params[String(param)]
    const parent = recordId(text) ?? recordUuid(text)
    return parent !== null && columns[column] === parent
  })
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
