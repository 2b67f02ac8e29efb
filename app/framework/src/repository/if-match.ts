import type { Request, Response } from 'express'
import { loadedRow, recordName } from '../authorization/load.ts'
import { requireVersion } from '../authorization/request-state.ts'
import { shownVersion } from '../database/rows.ts'
import { PreconditionRequired } from '../http/errors.ts'
import { builtInGuard } from '../http/routes.ts'
import type { Guard } from '../http/route-types.ts'
import type { Resource } from '../resource/resource.ts'
import { Stale } from '../writes/write-conflicts.ts'

/** Says which version of the row an answer shows, where the resource has versions. */
export function setEntityTag(res: Response, resource: Resource, row: object): void {
  const version = shownVersion(resource, row)
  if (version !== undefined) res.set('ETag', `"${version}"`)
}

/**
 * Lets a write pass when the caller says, in `If-Match`, that they saw the row as it is (RFC 9110, 13.1.1). It stands
 * after `authorize`, so that a denied caller hears neither of the two refusals. Nothing, for a resource without versions.
 */
export const ifMatch = (resource: Resource): Guard[] =>
  resource.managed.version ? [builtInGuard({ kind: 'if-match', run: (req) => compare(req, resource) })] : []

function compare(req: Request, resource: Resource): void {
  const row = loadedRow(req, resource, recordName(resource))
  const given = req.get('If-Match')
  if (given === undefined)
    throw new PreconditionRequired(
      'Say in If-Match which version you saw: the ETag that came with the record.',
    )
  // Whichever version there is, as long as there is one.
  if (given.trim() === '*') return
  if (!strongTags(given).includes(shownVersion(resource, row) ?? '')) throw new Stale(row)
  requireVersion(req, row)
}

const LIST = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*$/
const TAG = /(W\/)?"([^"]*)"/g

/** The tags of a list. A weak one never matches here, and in what is no list of tags there is none. */
function strongTags(given: string): string[] {
  if (!LIST.test(given.trim())) return []
  return [...given.matchAll(TAG)].flatMap(([, weak, tag]) => (weak === undefined ? [tag ?? ''] : []))
}
