import type { Request } from 'express'
import { type FieldError, Invalid } from '../http/errors.ts'
import type { PolicyContext } from './authorization-types.ts'
import type { Question } from './decide.ts'
import { reportDenial } from './denial.ts'
import { refusedFields } from './field-access.ts'

interface Caller {
  req: Request
  ctx: PolicyContext
}

/** Throws `Invalid` and reports a denial if the caller may not set one of these values in the record of the question. */
export function requireSettable({ req, ctx }: Caller, question: Question, values: object): void {
  const refused = refusedFields(ctx, question, values)
  if (refused.length === 0) return
  for (const field of refused) reportRefusedField(req, ctx, { ...question, field })
  throw new Invalid(refused.map(refusedField))
}

/** Reports that the caller may not set a field of a record. The reason is the name of the field. */
export function reportRefusedField(
  req: Request,
  ctx: PolicyContext,
  { resource, record, field }: Pick<Question, 'resource' | 'record'> & { field: string },
): void {
  // `deny` accepts only words like `too_old`, and a column may have any name.
  const decision = { cause: 'denied', denial: { reason: field, sentence: undefined } }
  reportDenial(req, ctx, { action: 'set', resource, record, decision, ms: 0 })
}

/** The error of a field that the caller may not set. */
export const refusedField = (field: string): FieldError => ({
  field,
  messages: ['You don’t have permission to set this field.'],
})
