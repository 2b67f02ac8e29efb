import type { Request } from 'express'
import { isAllowed } from '../authorization/decisions.ts'
import type { PolicyContext } from '../authorization/authorization-types.ts'
import { policyContext } from '../authorization/policy-context.ts'
import { loadRow } from '../database/rows.ts'
import { type FormState, searched } from '../http/form.ts'
import type { Resource } from '../resource/resource.ts'
import { referenceColumns } from './choices-form.ts'
import { labelOf, labelRows } from './labels.ts'
import { searchWords } from '../lists/list-query.ts'
import { containing } from '../lists/query-conditions.ts'

export interface Choice {
  readonly value: string
  readonly text: string
  readonly selected: boolean
}

/** What a field that refers to another record offers. */
export interface Choices {
  readonly options: readonly Choice[]
  /** There are others: a search finds them. */
  readonly more: boolean
  /** What was searched for; empty when nothing was. */
  readonly q: string
  /** How many were found, and are among the options. */
  readonly found: number
}

const MOST = 100

/**
 * Returns the options of each reference field in a form, by its column: up to 100 records that the caller sees in
 * lists, ordered by label, and the chosen one. If there are more, the form shows a search. Costs one query for each
 * reference, and one more if the chosen record is not among the first 100.
 */
export async function referenceChoices(
  req: Request,
  resource: Resource,
  form: FormState,
): Promise<Readonly<Record<string, Choices>>> {
  const ctx = await policyContext(req)
  const choices = referenceColumns(resource).map(async (column) => {
    const target = resource.references[column] as Resource
    const { options, more, q } = await search(ctx, target, searched(req, column))
    const offered = await withChosen(req, target, { column, form, options })
    return [column, { options: offered, more, q, found: options.length }] as const
  })
  return Object.fromEntries(await Promise.all(choices))
}

interface Found {
  readonly options: readonly Omit<Choice, 'selected'>[]
  readonly more: boolean
  readonly q: string
}

async function search(ctx: PolicyContext, target: Resource, asked: string): Promise<Found> {
  const q = searchWords(asked)
  const words = q === '' ? [] : q.split(' ')
  const rows = await words
    .reduce((query, word) => query.where(containing(target.label, word)), labelRows(ctx, target))
    .orderBy(target.label)
    .orderBy('id')
    .limit(MOST + 1)
    .execute()
  const options = rows.slice(0, MOST).map((row) => ({ value: String(row['id']), text: labelOf(target, row) }))
  return { options, more: rows.length > MOST, q }
}

interface Chosen {
  column: string
  form: FormState
  options: Found['options']
}

/** The options, before them what was chosen or is stored by now where the search didn't find it. */
async function withChosen(
  req: Request,
  target: Resource,
  { column, form, options }: Chosen,
): Promise<Choice[]> {
  const chosen = idText(form.values[column])
  const missing = [...new Set([chosen, idText(form.storedNow?.[column])])].filter(
    (id) => id !== '' && !options.some(({ value }) => value === id),
  )
  const found = await Promise.all(missing.map((value) => labelIfVisible(req, target, value)))
  const more = missing.flatMap((value, index) => {
    const text = found[index] ?? null
    // What was refused is no choice. What is stored stays one: who may not see it may leave it as it is.
    return text === null && form.errors[column] !== undefined ? [] : [{ value, text: text ?? HIDDEN }]
  })
  return [...more, ...options].map((option) => ({ ...option, selected: option.value === chosen }))
}

const idText = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

const HIDDEN = 'Not shown to you'

async function labelIfVisible(req: Request, target: Resource, id: string): Promise<string | null> {
  const record = await loadRow(target, id)
  const ctx = await policyContext(req)
  const visible = record !== null && (await isAllowed(req, ctx, { action: 'show', resource: target, record }))
  return visible ? labelOf(target, record) : null
}
