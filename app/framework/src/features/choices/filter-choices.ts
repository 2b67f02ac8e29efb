import type { Request } from 'express'
import { sql } from 'kysely'
import { readingReplica } from '../../database/read-replica.ts'
import { referableTargets, type Reference } from '../../input/reference-tenant.ts'
import { searchWords } from '../../lists/list-query.ts'
import { listParam, listParams, type OfList } from '../../pagination/list-param.ts'
import { stateOfPage, withControls } from '../../pagination/page-size.ts'
import { OPEN_FILTER, wordsParam } from '../../pagination/search-form/record-field.ts'
import type { PolicyContext } from '../../policy/authorization-types.ts'
import { policyContext } from '../../policy/policy-context.ts'
import type { RecordOptions } from '../../resource/filter-controls.ts'
import { isStorableText } from '../../resource/fields/storable-text.ts'
import type { Resource } from '../../resource/resource.ts'
import { narrowedBy } from '../../rows/statements.ts'
import { labelOf, labelRows } from './labels.ts'
import { MAX_VISIBLE, search } from './reference-choices.ts'

/**
 * Adds records to the search form of a list, for its filters by references that have a label. The form offers the records
 * that the caller sees in lists: up to 20, or else a search. Costs a query for each filter that is active, and for the one
 * that the user opens.
 *
 * ```ts
 * const list = await withFilterChoices(req, Ticket, await tickets.pageFor(req))
 * ```
 */
export async function withFilterChoices<List extends { readonly page: object }>(
  req: Request,
  resource: Resource,
  list: List,
  { prefix }: OfList = {},
): Promise<List> {
  const ctx = await policyContext(req)
  const params = listParams(req)
  const { controls = [], filters } = stateOfPage(list.page)
  const complete = controls.map(async (control) => {
    if (!('match' in control)) return control
    const { name } = control
    const param = listParam(name, prefix)
    const isOpen = params(OPEN_FILTER).includes(param)
    const words = params(wordsParam(param)).find(isStorableText) ?? ''
    const records = await recordOptions(ctx, {
      reference: { resource, target: resource.references[name] as Resource },
      chosen: [filters[name] ?? []].flat().map(String),
      isOpen,
      q: isOpen ? searchWords(words) : '',
    })
    return { ...control, records }
  })
  return { ...list, page: withControls(list.page, await Promise.all(complete)) }
}

interface Offer {
  readonly reference: Reference
  readonly chosen: readonly string[]
  readonly isOpen: boolean
  readonly q: string
}

/** Returns the chosen records, and if the filter is open, those that the search finds. */
async function recordOptions(
  ctx: PolicyContext,
  { reference, chosen, isOpen, q }: Offer,
): Promise<RecordOptions> {
  const all = isOpen ? await search(ctx, reference, q) : []
  const found = all.slice(0, MAX_VISIBLE)
  const texts = new Map(found.map(({ value, text }) => [value, text]))
  const labels = await labelsOfChosen(
    ctx,
    reference,
    chosen.filter((id) => !texts.has(id)),
  )
  // An unseen record and a missing one have the same text.
  const first = chosen.map((id) => [id, texts.get(id) ?? labels.get(id) ?? '(not found)'] as const)
  return {
    options: [...first, ...[...texts].filter(([id]) => !chosen.includes(id))],
    isOpen,
    searchable: q !== '' || all.length > MAX_VISIBLE,
    more: all.length > MAX_VISIBLE,
    q,
  }
}

async function labelsOfChosen(
  ctx: PolicyContext,
  { resource, target }: Reference,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const query = narrowedBy(labelRows(ctx, target), referableTargets(ctx, resource, target))
  const rows = await readingReplica('replica', () =>
    query.where(sql<boolean>`id = any(${ids}::${sql.raw(target.idKind)}[])`).execute(),
  )
  return new Map(rows.map((row) => [String(row['id']), labelOf(target, row)]))
}
