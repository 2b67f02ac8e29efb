import type { Request } from 'express'
import type { z } from 'zod'
import { decodeForm, type FormState } from '../../http/views/form.ts'
import { fieldText } from '../../resource/fields/field-text.ts'
import type { Resource } from '../../resource/resource.ts'

/**
 * Returns the form of a new record with the values of the query that its fields accept, for links such as
 * `/tickets/new?project_id=7`. Ignores invalid values, and fields that the form omits.
 *
 * ```ts
 * const form = prefilled(req, Ticket, tickets.formFor(record(req, Ticket, 'create')))
 * ```
 */
export function prefilled<Form extends FormState>(req: Request, { input }: Resource, form: Form): Form {
  const typed = decodeForm(input, req.query)
  const values = Object.keys(req.query).flatMap((field) => {
    if (!Object.hasOwn(input.shape, field) || form.omitted?.includes(field)) return []
    const schema = input.shape[field] as z.ZodType
    const read = schema.safeParse(typed[field])
    return read.success ? [[field, fieldText(schema, read.data)]] : []
  })
  return { ...form, values: { ...form.values, ...Object.fromEntries(values) } }
}
