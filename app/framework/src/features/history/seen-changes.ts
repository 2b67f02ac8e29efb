import { idsAmong } from '../../policy/seen-record.ts'
import type { SeenIds } from '../../rows/row-columns.ts'
import type { FieldChange } from './change-table.ts'

type FieldChanges = readonly (FieldChange & { readonly field: string })[]

/**
 * Returns the changes with the ids that the caller sees in the columns that joins store, and without changes of other ids.
 * Costs one statement for each column whose ids the caller doesn't see all.
 */
export async function withSeenIds<Change extends { readonly changes: FieldChanges }>(
  changes: readonly Change[],
  seen: SeenIds,
): Promise<Change[]> {
  let all = [...changes]
  for (const [column, query] of Object.entries(seen)) {
    const lists = all.flatMap(({ changes }) => changes.filter(({ field }) => field === column))
    const ids = lists.flatMap(({ from, to }) => [...idsOf(from), ...idsOf(to)])
    const visible = new Set(await idsAmong(query, ids))
    all = all.flatMap((change) => {
      const shown = change.changes.flatMap((one) =>
        one.field === column ? onlyVisible(one, visible) : [one],
      )
      // Who changed only unseen ids, and when, is unseen too.
      return shown.length === 0 && change.changes.length > 0 ? [] : [{ ...change, changes: shown }]
    })
  }
  return all
}

const idsOf = (value: unknown): number[] => (Array.isArray(value) ? value : [])

function onlyVisible({ field, from, to }: FieldChanges[number], visible: ReadonlySet<unknown>): FieldChanges {
  const [before, after] = [from, to].map((ids) => idsOf(ids).filter((id) => visible.has(id)))
  return String(before) === String(after) ? [] : [{ field, from: before, to: after }]
}
