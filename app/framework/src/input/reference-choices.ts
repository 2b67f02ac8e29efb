import type { Request } from 'express'
import type { PolicyContext } from '../policy/authorization-types.ts'
import { policyContext } from '../policy/policy-context.ts'
import { readingReplica } from '../database/read-replica.ts'
import { withinSearchLimits } from '../lists/search-share.ts'
import { type FormState, searched } from '../http/views/form.ts'
import { narrowedBy } from '../rows/statements.ts'
import type { Resource, RowOf } from '../resource/resource.ts'
import { referenceColumns } from './choices-form.ts'
import { labelOf, labelRows } from './labels.ts'
import { searchWords } from '../lists/list-query.ts'
import { referable, referableTargets, type Reference } from './reference-tenant.ts'
import { containing } from '../lists/query-conditions.ts'

interface Choice {
  readonly value: string
  readonly text: string
  readonly selected: boolean
}

/** The options of a reference field. */
export interface Choices {
  readonly options: readonly Choice[]
  /** Whether there are more records, which a search finds. */
  readonly more: boolean
  /** The search text; empty without a search. */
  readonly q: string
  /** The number of records that the search found. The options include them. */
  readonly found: number
}

const MAX_OPTIONS = 100

/**
 * Returns the options of each reference field in a form, by its column: up to 100 records that the caller sees in
 * lists, ordered by label, and the chosen record. If there are more, the form shows a search. Costs one query for each
 * reference, and one more if the chosen record is not among the first 100.
 */
export async function referenceChoices<R extends Resource>(
  req: Request,
  resource: R,
  form: FormState,
): Promise<{ readonly [Column in keyof RowOf<R> & string]: Choices }>
export async function referenceChoices(req: Request, resource: Resource, form: FormState): Promise<object> {
  const ctx = await policyContext(req)
  const choices = referenceColumns(resource).map(async (column) => {
    const target = resource.references[column] as Resource
    const { options, more, q } = await search(ctx, { resource, target }, searched(req, column))
    const offered = await withChosen(req, { resource, target }, { column, form, options })
    return [column, { options: offered, more, q, found: options.length }] as const
  })
  return Object.fromEntries(await Promise.all(choices))
}

async function search(ctx: PolicyContext, { resource, target }: Reference, text: string) {
  const q = searchWords(text)
  const words = q === '' ? [] : q.split(' ')
  const conditions = [
    ...referableTargets(ctx, resource, target),
    ...words.map((word) => containing(target.label, word)),
  ]
  const read = () =>
    narrowedBy(labelRows(ctx, target), conditions)
      .orderBy(target.label)
      .orderBy('id')
      .limit(MAX_OPTIONS + 1)
      .execute()
  const rows = await readingReplica('replica', () => (q === '' ? read() : withinSearchLimits(read)))
  const options = rows
    .slice(0, MAX_OPTIONS)
    .map((row) => ({ value: String(row['id']), text: labelOf(target, row) }))
  return { options, more: rows.length > MAX_OPTIONS, q }
}

interface Chosen {
  column: string
  form: FormState
  options: readonly Omit<Choice, 'selected'>[]
}

/** Adds the chosen and the stored record to the options if the search didn't find them. */
async function withChosen(
  req: Request,
  reference: Reference,
  { column, form, options }: Chosen,
): Promise<Choice[]> {
  const chosen = idText(form.values[column])
  const missing = [...new Set([chosen, idText(form.storedNow?.[column])])].filter(
    (id) => id !== '' && !options.some(({ value }) => value === id),
  )
  const records = await Promise.all(missing.map((value) => referable(req, reference, value)))
  const more = missing.flatMap((value, index) => {
    const record = records[index] ?? null
    const text = record && labelOf(reference.target, record)
    // The options don't include an invalid id. They include the id of a hidden record without its label, so that the
    // user can submit the form without changing it.
    return text === null && form.errors[column] !== undefined ? [] : [{ value, text: text ?? HIDDEN }]
  })
  return [...more, ...options].map((option) => ({ ...option, selected: option.value === chosen }))
}

const idText = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

const HIDDEN = '(hidden record)'
