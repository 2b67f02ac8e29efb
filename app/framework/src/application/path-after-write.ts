import type { Request } from 'express'
import { resourceOf } from '../rows/rows.ts'
import { pathTo } from '../http/routes/path-to.ts'
import type { Routes } from '../http/routes/route-types.ts'
import { isOpenTo } from '../http/settings.ts'
import { isAllowed } from '../policy/abilities.ts'
import { policyContext } from '../policy/policy-context.ts'

/**
 * Returns the path to redirect to after a write: that of the record's page if the caller may show the record, else that
 * of the list, or `/` if the list isn't open to the caller. A caller may create a record without the right to show it, and would
 * otherwise get a 404 for a stored record. Costs no query unless the rule `canShow` sends one.
 *
 * ```ts
 * await flash(req, 'Post created.')
 * res.redirect(303, await pathAfterWrite(req, form.stored, postRoutes))
 * ```
 */
export async function pathAfterWrite(
  req: Request,
  record: { readonly id: number | string },
  table: Routes<string, 'GET /' | 'GET /:id'>,
): Promise<string> {
  const resource = resourceOf(record)
  if (resource === undefined) throw new Error('This record is a copy. Pass the row that the write returned.')
  const ctx = await policyContext(req)
  if (await isAllowed(req, ctx, { action: 'show', resource, record }))
    return pathTo(table, 'GET /:id', record)
  const [access] = table.table['GET /']
  return isOpenTo({ access }, ctx.userId === null ? null : ctx) ? pathTo(table, 'GET /') : '/'
}
