import type { Request, Response } from 'express'
import { loadedRow, recordName } from '../policy/load.ts'
import { requireVersion } from '../policy/request-state.ts'
import { shownVersion } from '../rows/rows.ts'
import { PreconditionRequired } from '../http/errors.ts'
import { builtInGuard } from '../http/routes/routes.ts'
import type { Guard } from '../http/routes/route-types.ts'
import type { Resource } from '../resource/resource.ts'
import { Stale } from '../writes/write-conflicts.ts'

/** Sends the version of the row as an `ETag` if the resource has versions. */
export function setEntityTag(res: Response, resource: Resource, row: object): void {
  const version = shownVersion(resource, row)
  if (version !== undefined) res.set('ETag', `"${version}"`)
}

/**
 * Returns a guard that requires the row's current version in `If-Match` (RFC 9110, 13.1.1). It runs after
 * `authorize`, so that a denied caller gets neither of its errors. Returns no guard for a resource without versions.
 */
export const ifMatch = (resource: Resource): Guard[] =>
  resource.managed.version ? [builtInGuard({ kind: 'if-match', run: (req) => compare(req, resource) })] : []

function compare(req: Request, resource: Resource): void {
  const row = loadedRow(req, resource, recordName(resource))
  const header = req.get('If-Match')
  if (header === undefined) throw new PreconditionRequired('Send the ETag of the record in If-Match.')
  // `*` matches any version.
  if (header.trim() === '*') return
  if (!strongTags(header).includes(shownVersion(resource, row) ?? '')) throw new Stale(row)
  requireVersion(req, row)
}

const LIST = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*$/
const TAG = /(W\/)?"([^"]*)"/g

/** Returns the strong tags of an `If-Match` header. Weak tags never match, and a malformed header has none. */
function strongTags(header: string): string[] {
  if (!LIST.test(header.trim())) return []
  return [...header.matchAll(TAG)].flatMap(([, weak, tag]) => (weak === undefined ? [tag ?? ''] : []))
}
