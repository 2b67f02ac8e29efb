import type { PoolClient, QueryArrayResult } from 'pg'
import { parserOf } from './column-types.ts'

/** The result of a statement. If its text has several statements, the result of the first. */
export interface Result {
  /** The kind of statement, such as `SELECT`. */
  readonly command: string
  readonly rows: Record<string, unknown>[]
  /** The number of rows that it read or wrote; 0 for statements such as `begin`. */
  readonly rowCount: number
}

export interface Message {
  readonly text: string
  readonly values: readonly unknown[]
  /** The name under which Postgres keeps its plan. */
  readonly name: string | undefined
  /** What the session knows about its named statements. Null if a pooler may send each one to another server. */
  readonly known: Map<string, object> | null
}

/** Names for statements that are sent again and again. */
export interface Names {
  nameOf(text: string): string | undefined
  /** Gives all names back, because Postgres has lost or changed a plan. */
  clear(): void
}

/** How sessions send statements. `speed/` replaces both functions. */
export const statements: {
  send: (client: PoolClient, message: Message) => Promise<Result>
  names: () => Names | null
} = { send: sendWithDriver, names: () => null }

async function sendWithDriver(client: PoolClient, { text, values }: Message): Promise<Result> {
  const found = await client.query({ text, values: [...values], rowMode: 'array', types: AS_TEXT })
  const [{ command, fields, rows, rowCount }] = [found].flat() as [QueryArrayResult<(string | null)[]>]
  const columns = fields.map((field) => ({ name: field.name, parse: parserOf(field) }))
  const rowOf = (texts: readonly (string | null)[]) =>
    Object.fromEntries(
      columns.map(({ name, parse }, index) => {
        const value = texts[index] as string | null
        return [name, value === null ? null : parse(value)]
      }),
    )
  // The command of an empty text is null, which the driver's types lack.
  return { command: command || '', rows: rows.map(rowOf), rowCount: rowCount ?? 0 }
}

/** The driver knows no names of columns when it parses a value. */
const AS_TEXT = { getTypeParser: () => (text: string) => text }
