import { HttpError } from '../http/errors.ts'
import type { Denial } from './deny.ts'
import type { ForbiddenResponse } from './policy.ts'

/**
 * The policy denies the action on this record. The response is a 404 that equals the one of a missing record byte
 * for byte, or a 403 with the policy's reason: `forbidden_response` decides.
 */
export class Denied extends HttpError {
  constructor(status: 404 | 403, denial?: Denial) {
    // Never a reason on a 404: it would tell denied from missing.
    if (status === 404) super(404, 'not_found')
    else super(403, 'forbidden', { detail: denial?.sentence, reason: denial?.reason })
  }
}

interface DeniedQuestion {
  action: string
  /** The rule's reason, where it gave one. */
  denial: Denial | undefined
  /** Whether the caller may see the record; asked only where the answer depends on it. */
  mayShow: () => Promise<boolean>
}

/** The error that answers a denied question, in the form that its resource or the application chose. */
export async function deniedAs(form: ForbiddenResponse, question: DeniedQuestion): Promise<Denied> {
  return new Denied((await mayKnow(form, question)) ? 403 : 404, question.denial)
}

async function mayKnow(form: ForbiddenResponse, { action, mayShow }: DeniedQuestion): Promise<boolean> {
  if (form !== 'auto') return form === '403'
  if (action === 'create') return true
  return action !== 'show' && (await mayShow())
}
