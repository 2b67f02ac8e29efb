import type { Request } from 'express'
import { isRead } from '../cheap-requests.ts'
import { HttpError } from '../errors.ts'
import { answersJson, isHtmx } from '../negotiation.ts'
import { returnPath } from '../routes/return-to.ts'

/** A page on which a signed-in user meets a requirement of a route. */
interface StepUpPage {
  /** The code of the 403. */
  readonly code: 'verification_required' | 'confirmation_required'
  readonly path: string | undefined
  /** The text of the link to the page. */
  readonly label: string
}

/**
 * Returns the refusal of a request whose caller first has to visit a page: a redirect to it, or a 403 for the API and
 * for htmx. The page receives the page to return to as `return_to`, and `refused=true` if the request was a write.
 *
 * A write by htmx doesn't leave its page, so that the form keeps its input: the error contains a link to the page.
 */
export function stepUp(req: Request, { code, path, label }: StepUpPage): HttpError {
  if (path === undefined || answersJson(req)) return new HttpError(403, code)
  const href = `${path}?return_to=${encodeURIComponent(returnPath(req))}`
  if (isHtmx(req))
    return isRead(req)
      ? new HttpError(403, code, { headers: { 'HX-Redirect': href } })
      : new HttpError(403, code, { link: { href, label } })
  const location = isRead(req) ? href : `${href}&refused=true`
  return new HttpError(303, 'see_other', { headers: { Location: location } })
}
