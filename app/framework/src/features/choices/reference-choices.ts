import type { Request } from 'express'
import type { PolicyContext } from '../../policy/authorization-types.ts'
import { policyContext } from '../../policy/policy-context.ts'
import { seenFields } from '../../policy/field-access.ts'
import { readingReplica } from '../../database/read-replica.ts'
import { withinSearchLimits } from '../../lists/search-share.ts'
import { type FormState, searched } from '../../http/views/form.ts'
import { narrowedBy, IS } from '../../rows/statements.ts'
import type { Resource, RowOf } from '../../resource/resource.ts'
import { referenceColumns } from '../../input/choices-form.ts'
import { labelOf, labelRows } from './labels.ts'
import { searchWords } from '../../lists/list-query.ts'
import { referable, referableTargets, type Reference } from '../../input/reference-tenant.ts'
import { containing } from '../../lists/query-conditions.ts'

interface Choice {
  readonly value: string
  readonly text: string
  readonly selected: boolean
}

/** The options of a reference field. */
export interface Choices {
  readonly options: readonly Choice[]
  /** Whether the user may choose several records. */
  readonly multiple: boolean
  /** Whether the user may move the chosen records, which are the first options. */
  readonly ordered: boolean
  /** Whether the field is a search with its results: if there are more records than a select or checkboxes offer. */
  readonly searchable: boolean
  /** Whether there are more records than the options. */
  readonly more: boolean
  /** The search text; empty without a search. */
  readonly q: string
  /** The number of records that the search found. The options include them. */
  readonly found: number
}

const MAX_OPTIONS = 100
/** The results of a search are all visible, and so are checkboxes: the user searches instead of reading more. */
export const MAX_VISIBLE = 20

/**
 * Returns the options of each reference field in a form, by its column: up to 100 records that the caller sees in
 * lists, ordered by label, and the chosen record. If there are more, the field is a search with up to 20 results, and so is
 * a list of ids with more than 20. It searches the label and the `search` columns of the other resource. Costs one query
 * for each reference, and one more for each chosen record that is not among the options.
 */
export async function referenceChoices<R extends Resource>(
  req: Request,
  resource: R,
  form: FormState,
): Promise<{ readonly [Column in keyof RowOf<R> & string]: Choices }>
export async function referenceChoices(req: Request, resource: Resource, form: FormState): Promise<object> {
  const ctx = await policyContext(req)
  const choices = referenceColumns(resource).map(async (column) => {
    const reference = { resource, target: resource.references[column] as Resource }
    const q = searchWords(searched(req, column))
    const records = await search(ctx, reference, q)
    // A search whose text was removed stays a search, so that the browser finds its results in the response.
    const join = resource.joins[column]
    const multiple = join !== undefined
    const ordered = join?.isOrdered === true
    const most = multiple ? MAX_VISIBLE : MAX_OPTIONS
    const searchable = q !== '' || form.found === column || records.length > most
    const found = records.slice(0, searchable ? MAX_VISIBLE : most)
    const options = await withChosen(req, reference, { column, form, found })
    return [
      column,
      {
        options: ordered ? inOrder(options, idTexts(form.values[column])) : options,
        multiple,
        ordered,
        searchable,
        more: records.length > found.length,
        q,
        found: found.length,
      },
    ]
  })
  return Object.fromEntries(await Promise.all(choices))
}

/** Returns the records to which the caller may refer and that contain these words: one more than a select offers. */
export async function search(ctx: PolicyContext, { resource, target }: Reference, q: string) {
  const { label, lists } = target
  const unlisted = seenFields(ctx, target)?.unlisted ?? []
  const columns = [...new Set([label, ...lists.search])].filter((column) => !unlisted.includes(column))
  const conditions = [...referableTargets(ctx, resource, target), ...containing(columns, q)]
  const read = () =>
    narrowedBy(labelRows(ctx, target), conditions)
      // A record with these words in its label comes before one with a long text that contains them.
      .$if(q !== '' && columns.length > 1, (rows) => rows.orderBy(IS.and(containing([label], q)), 'desc'))
      .orderBy(label)
      .orderBy('id')
      .limit(MAX_OPTIONS + 1)
      .execute()
  const rows = await readingReplica('replica', () => (q === '' ? read() : withinSearchLimits(read)))
  return rows.map((row) => ({ value: String(row['id']), text: labelOf(target, row) }))
}

interface Chosen {
  column: string
  form: FormState
  found: readonly Omit<Choice, 'selected'>[]
}

/** Adds the chosen and the stored record to the options if the search didn't find them. */
async function withChosen(req: Request, reference: Reference, { column, form, found }: Chosen) {
  const chosen = new Set(idTexts(form.values[column]))
  const missing = chosen.union(new Set(idTexts(form.storedNow?.[column])))
  for (const { value } of found) missing.delete(value)
  const more = [...missing].map(async (value) => {
    const record = await referable(req, reference, value)
    // The options don't include an invalid id. They include the id of a hidden record without its label, so that the
    // user can submit the form without changing it.
    if (record === null) return form.errors[column] === undefined ? [{ value, text: '(hidden record)' }] : []
    return [{ value, text: labelOf(reference.target, record) }]
  })
  const offered = [...(await Promise.all(more)).flat().toSorted(byText), ...found]
  return offered.map((option) => ({ ...option, selected: chosen.has(option.value) }))
}

/** Returns the options with the chosen ones first, in their order. */
function inOrder(options: readonly Choice[], chosen: readonly string[]): Choice[] {
  const places = new Map(chosen.map((id, place) => [id, place]))
  const placeOf = ({ value }: Choice) => places.get(value) ?? chosen.length
  return options.toSorted((one, other) => placeOf(one) - placeOf(other))
}

const byText = ({ text: one }: { text: string }, { text: other }: { text: string }) =>
  one.localeCompare(other)

const idTexts = (value: unknown): string[] =>
  [value]
    .flat()
    .filter((id) => (typeof id === 'string' && id !== '') || typeof id === 'number')
    .map(String)
