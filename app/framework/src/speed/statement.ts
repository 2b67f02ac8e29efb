import pg from 'pg'
import type { PoolClient, Submittable } from 'pg'
import { parserOf } from '../database/column-types.ts'
import type { Message, Result } from '../database/send-statement.ts'

/** The driver's conversion of parameters, which its types lack. */
const { prepareValue } = (pg as unknown as Driver).utils

interface Driver {
  readonly utils: { readonly prepareValue: (value: unknown) => string | Buffer | null }
}

type Row = Record<string, unknown>

/** The columns of a result. */
interface Columns {
  readonly names: readonly string[]
  readonly parsers: readonly ((text: string) => unknown)[]
  /** A row with only nulls: copying it takes less time than adding the columns one by one. */
  readonly empty: Row
}

/** The columns of a session's statements by their names. They can't change: Postgres fails the statement instead. */
type KnownColumns = Map<string, Columns>

/** Sends a statement. */
export const sendStatement = (client: PoolClient, message: Message): Promise<Result> =>
  new Promise((resolve, reject) => {
    const done = (error: unknown, result: Result) => (error === null ? resolve(result) : reject(error))
    client.query(new Statement(message, done) as unknown as Submittable)
  })

/** Receives the error, or null and the result. */
type Done = (error: unknown, result: Result) => void

/** The part of the driver's connection that a statement uses. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void }
  /** The texts of the statements that Postgres has, by their names. */
  readonly parsedStatements: Record<string, string>
  query(text: string): void
  close(statement: { type: 'S'; name: string }): void
  parse(statement: { text: string; name: string | undefined }): void
  bind(values: { statement: string | undefined; values: readonly unknown[] }): void
  describe(portal: { type: 'P' }): void
  execute(): void
  sync(): void
  sendCopyFail(reason: string): void
}

/**
 * A statement for `client.query`. The driver's class asks for the columns each time, which takes a third of the time of
 * a small statement, and emits an event for each row. Its promises keep the rows of a batch in memory until the
 * next garbage collection.
 */
class Statement {
  // The driver reads these two when Postgres has parsed the statement, and calls the methods.
  readonly text: string
  readonly name: string | undefined
  readonly #values: readonly unknown[]
  readonly #known: KnownColumns | null
  readonly #done: Done
  readonly #rows: Row[] = []
  #columns: Columns | undefined
  #outcome: string | undefined
  #error: unknown

  /** Calls `done` once. Throws if a value can't be sent. */
  constructor({ text, values, name, known }: Message, done: Done) {
    this.text = text
    this.name = name
    this.#values = values.map((value) => prepareValue(value))
    this.#known = name === undefined ? null : (known as KnownColumns | null)
    this.#done = done
  }

  submit(connection: Connection): void {
    const { text, name } = this
    if (this.#values.length === 0 && name === undefined) return connection.query(text)
    // The driver then sends the messages together.
    connection.stream.cork()
    if (name !== undefined) this.#takeName(connection, name)
    this.#columns = this.#known?.get(name ?? '')
    if (name === undefined || connection.parsedStatements[name] === undefined)
      connection.parse({ text, name })
    connection.bind({ statement: name, values: this.#values })
    if (this.#columns === undefined) connection.describe({ type: 'P' })
    connection.execute()
    connection.sync()
    connection.stream.uncork()
  }

  /** Closes the statement that had the name before. Its plan is gone even if this one can't be parsed. */
  #takeName(connection: Connection, name: string): void {
    const { parsedStatements } = connection
    if ([undefined, this.text].includes(parsedStatements[name])) return
    connection.close({ type: 'S', name })
    delete parsedStatements[name]
    this.#known?.delete(name)
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    if (this.#outcome !== undefined) return
    const names = fields.map(({ name }) => name)
    const empty = Object.fromEntries(names.map((name) => [name, null]))
    this.#columns = { names, parsers: fields.map(parserOf), empty }
    this.#known?.set(this.name as string, this.#columns)
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#outcome !== undefined || this.#error !== undefined) return
    try {
      this.#rows.push(rowOf(this.#columns as Columns, fields))
    } catch (error) {
      this.#error = error
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#outcome ??= text
  }

  handleEmptyQuery(): void {}

  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail('The application sends no data with COPY.')
  }

  handleCopyData(): void {}

  handleError(error: unknown): void {
    this.#done(error, NOTHING)
  }

  handleReadyForQuery(): void {
    if (this.#error !== undefined) return this.handleError(this.#error)
    // Such as `INSERT 0 1`: the last word is the number of rows.
    const words = (this.#outcome ?? '').split(' ')
    this.#done(null, { command: words[0] as string, rows: this.#rows, rowCount: Number(words.at(-1)) || 0 })
  }
}

const NOTHING: Result = { command: '', rows: [], rowCount: 0 }

function rowOf({ names, parsers, empty }: Columns, fields: readonly (string | null)[]): Row {
  const row = { ...empty }
  for (let index = 0; index < names.length; index++) {
    const text = fields[index] as string | null
    if (text !== null) row[names[index] as string] = parsers[index]?.(text)
  }
  return row
}
