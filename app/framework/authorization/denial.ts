import { HttpError } from '../http/errors.ts'
import { decide, type Question } from './decide.ts'
import type { PolicyContext } from './policy-context.ts'
import type { Authorization } from './registry.ts'

/** The caller may not do this to this record. As a 404 it is rendered exactly as `NotFound`. */
export class Denied extends HttpError {
  constructor(status: 404 | 403) {
    super(status, status === 404 ? 'not_found' : 'forbidden')
  }
}

interface DeniedQuestion extends Question {
  ctx: PolicyContext
}

/** The error that answers a denied question, by the application's `forbidden_response`. */
export async function denial(authorization: Authorization, question: DeniedQuestion): Promise<Denied> {
  return new Denied((await mayKnow(authorization, question)) ? 403 : 404)
}

async function mayKnow(
  { registry, forbiddenResponse }: Authorization,
  question: DeniedQuestion,
): Promise<boolean> {
  if (forbiddenResponse !== 'auto') return forbiddenResponse === '403'
  if (question.action === 'create') return true
  if (question.action === 'show') return false
  return (await decide(registry.policies, question.ctx, { ...question, action: 'show' })).allowed
}
