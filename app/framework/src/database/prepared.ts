import type { Compilable, CompiledQuery, QueryResult } from 'kysely'
import { place } from './executor.ts'
import { sessionsOf } from './connect.ts'
import { sendShort } from './unit-session.ts'

/** The values of a prepared query, by name. */
type Values = Readonly<Record<string, unknown>>

/** A query that is compiled once. */
export interface Prepared<Given extends Values, Row> {
  /** Sends the query with these values, and returns its rows. */
  rows(values: Given): Promise<Row[]>
  /** Sends the query with these values, and returns the first row; undefined if there is none. */
  first(values: Given): Promise<Row | undefined>
}

/**
 * Prepares a short query that is sent often, such as that of the session: it is compiled once. `build` receives a
 * placeholder for each value, and may only pass it on as a value.
 *
 * Outside of transactions, queries that were prepared and that overlap in a request share its connection.
 *
 * ```ts
 * const postWith = prepared((given: { id: number }) => database().selectFrom('posts').selectAll().where('id', '=', given.id))
 * const post = await postWith.first({ id: 7 })
 * ```
 */
export function prepared<Given extends Values, Row>(
  build: (given: Given) => Compilable<Row>,
): Prepared<Given, Row> {
  /** By the columns of the tables, which are part of the text. */
  const compiled = new WeakMap<object, CompiledQuery>()
  const compiledFor = (columns: object): CompiledQuery => {
    const known = compiled.get(columns)
    if (known !== undefined) return known
    const query = build(placeholders as Given).compile()
    compiled.set(columns, query)
    return query
  }
  const rows = async (values: Given): Promise<Row[]> => {
    const { unit, locksReads } = place()
    // The plugin that locks the rows of a decision changes the query. Without known columns, they may still change.
    const isFixed = unit.columns !== undefined && locksReads !== true
    const query = isFixed ? filled(compiledFor(unit.columns), values) : build(values).compile()
    return (await send<Row>(query)).rows
  }
  return { rows, first: async (values) => (await rows(values))[0] }
}

function send<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
  const { db, unit } = place()
  const sessions = sessionsOf(db)
  return sessions === undefined ? db.executeQuery<Row>(query) : sendShort<Row>(sessions, unit, query)
}

/** Stands for a value while a query is built. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const placeholders: Values = new Proxy({}, { get: (_values, name) => new Placeholder(String(name)) })

/** Returns the query with values instead of placeholders. */
const filled = (query: CompiledQuery, values: Values): CompiledQuery => ({
  ...query,
  parameters: query.parameters.map((value) => (value instanceof Placeholder ? values[value.name] : value)),
})
