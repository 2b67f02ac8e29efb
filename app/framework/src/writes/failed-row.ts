import { sqlState, SqlStateClass } from '../database/sql-states.ts'

type Row = Readonly<Record<string, unknown>>

/** The rows of a statement, for messages about one of them. */
interface StatementRows {
  readonly rows: readonly object[]
  /** Returns the name of a row by its index: `row 3`, `id 7`. */
  readonly nameOf: (index: number) => string
  /** The columns whose values no message contains. */
  readonly secret: readonly string[]
}

/** The fields of an error of Postgres that tell which row it refused. */
interface Refusal extends Error {
  readonly detail?: string
  readonly column?: string
  readonly constraint?: string
  /** The row and its values, as `row 3, slug = "hops"`. */
  failedRow?: string
}

/** Returns a function that rethrows an error of Postgres, with the row and the value that it refused in the message. */
export const rethrowWithRow =
  ({ rows, nameOf, secret }: StatementRows) =>
  (error: unknown): never => {
    if (!(error instanceof Error) || !REFUSALS.has(sqlState(error)?.slice(0, 2))) throw error
    const refusal: Refusal = error
    const found = findRow(rows as readonly Row[], refusal)
    if (found === null) throw error
    const { row, columns } = found
    const values = columns.filter((column) => !secret.includes(column)).map((name) => valueIn(row, name))
    refusal.failedRow = [nameOf(rows.indexOf(row)), ...values].join(', ')
    refusal.message += ` (${refusal.failedRow})`
    throw refusal
  }

/** Returns the row that an error is about, as `row 3, slug = "hops"`, if `rethrowWithRow` found it. */
export const failedRow = (error: unknown): string | undefined => (error as Partial<Refusal>).failedRow

/** The classes of errors about the values of a row. */
const REFUSALS = new Set<string | undefined>([SqlStateClass.dataException, SqlStateClass.constraintViolation])

const LONGEST = 60

function valueIn(row: Row, column: string): string {
  const text = JSON.stringify(row[column]) ?? 'undefined'
  return `${column} = ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`
}

interface Found {
  readonly row: Row
  readonly columns: readonly string[]
}

function findRow(rows: readonly Row[], refusal: Refusal): Found | null {
  const { column, detail = '', message } = refusal
  if (column !== undefined)
    return found(
      rows.find((row) => (row[column] ?? null) === null),
      [column],
    )
  // `Key (author_id, slug)=(7, hops) already exists.`: the words around the key depend on the server's language.
  const [, names, key] = /\(([^()]+)\)=\((.*)\)/s.exec(detail) ?? []
  if (names !== undefined) {
    const columns = names.match(/\w+/g) ?? []
    const keyOf = (row: Row) => columns.map((name) => String(row[name])).join(', ')
    // The first of two equal rows was stored.
    return found(
      rows.findLast((row) => keyOf(row) === key),
      columns,
    )
  }
  return byContent(rows, refusal, detail) ?? byValue(rows, /"(.*)"/s.exec(message)?.[1])
}

/** Finds the row of a violated check: `Failing row contains (5, 1, refused, null).` */
function byContent(rows: readonly Row[], { constraint = '' }: Refusal, detail: string): Found | null {
  const content = /\((.*)\)/s.exec(detail)?.[1]?.split(', ')
  if (content === undefined) return null
  const matches = rows.map(
    (row) => Object.values(row).filter((value) => content.includes(String(value))).length,
  )
  const most = Math.max(...matches)
  if (matches.indexOf(most) !== matches.lastIndexOf(most)) return null
  const row = rows[matches.indexOf(most)]
  return found(
    row,
    Object.keys(row ?? {}).filter((column) => constraint.includes(column)),
  )
}

/** Finds the row of a malformed value: `invalid input syntax for type integer: "many"`. */
function byValue(rows: readonly Row[], text: string | undefined): Found | null {
  if (text === undefined) return null
  const columnOf = (row: Row) => Object.keys(row).find((column) => String(row[column]) === text)
  const row = rows.find((each) => columnOf(each) !== undefined)
  return found(row, row === undefined ? [] : [columnOf(row) ?? ''])
}

const found = (row: Row | undefined, columns: readonly string[]): Found | null =>
  row === undefined ? null : { row, columns }
