import { inTransaction } from '../database/transaction.ts'
import { storedValue } from '../resource/join.ts'
import type { Resource } from '../resource/resource.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Writes rows, and then the lists of ids that joins store, in one transaction. `write` gets the values without these
 * lists, and returns the stored rows in the same order. Returns them with the lists.
 */
export async function withJoins<Stored extends Record<string, unknown>>(
  { joins, table }: Resource,
  rows: readonly Values[],
  write: (own: readonly Values[]) => Promise<Stored[]>,
): Promise<Stored[]> {
  const all = Object.entries(joins)
  if (all.length === 0) return write(rows)
  const joined = all.filter(([column]) => rows.some((row) => row[column] !== undefined))
  const isOwn = ([column]: [string, unknown]) => joined.every(([other]) => other !== column)
  return inTransaction(async () => {
    const stored = await write(rows.map((row) => Object.fromEntries(Object.entries(row).filter(isOwn))))
    for (const [column, join] of joined) {
      const lists = stored.flatMap((row, index) => {
        const ids = storedValue(joins, column, rows[index]?.[column])
        return ids === undefined ? [] : [Object.assign(row, { [column]: ids })]
      })
      if (lists.length > 0) await join.store(table, column, lists)
    }
    return stored
  })
}
