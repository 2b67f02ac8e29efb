import type { Request } from 'express'
import { localPath } from 'pergola'

/** Returns the page to which the forms of the account lead: `return_to` of the form or of the URL, and otherwise `/`. */
export function nextPath(req: Request): string {
  const { return_to = req.query['return_to'] } = (req.body ?? {}) as { return_to?: unknown }
  return localPath(return_to)
}
