import { type Expression, sql } from 'kysely'
import { compareRow } from '../../pagination/keyset.ts'
import type { Resource } from '../../resource/resource.ts'

/**
 * One value for each column of the order, as exact text: a number would be rounded, and a `Date` would lose
 * microseconds.
 */
export type KeyText = readonly string[]

/** A key in the order of a walk; a list if the order has several columns. */
export type Key = string | number | readonly (string | number)[]

/** Returns the columns of the walk's order; the primary key by default. */
export function keyColumns(resource: Resource, order: string | readonly string[] = 'id'): readonly string[] {
  const columns = typeof order === 'string' ? [order] : order
  const hidden = columns.find((column) => resource.hidden.includes(column))
  if (hidden !== undefined)
    throw new Error(
      `${resource.name}: ${hidden} is hidden, and a position would show it. Order by another column.`,
    )
  if (columns.length === 0 || new Set(columns).size < columns.length)
    throw new Error(`${resource.name}: name each column of the order once, and at least one.`)
  return columns
}

/** Returns the key of a row. The driver returns numbers, texts and times with all digits. */
export const keyOf = (columns: readonly string[], row: object): KeyText =>
  columns.map((column) => exactText((row as Record<string, unknown>)[column], column))

function exactText(value: unknown, column: string): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  throw new Error(
    `${column} can't order a walk: its values are not plain text. Order by a number, text, uuid or time.`,
  )
}

/** Reads a bound. Throws unless it has one value for each column. */
export function boundOf(columns: readonly string[], key: Key): KeyText {
  const values = Array.isArray(key) ? (key as readonly (string | number)[]) : [key as string | number]
  if (values.length === columns.length) return values.map(String)
  throw new Error(`A bound has one value for each of ${columns.join(', ')}, in this order.`)
}

/** Compares the columns with a key, whose values get the types of the columns. */
export const compare = (columns: readonly string[], operator: '>' | '>=' | '<=', key: KeyText) =>
  compareRow(
    columns.map((column) => ({ column })),
    operator,
    key,
  )

export const refs = (columns: readonly string[]): Expression<unknown> =>
  sql.join(columns.map((column) => sql.ref(column)))
