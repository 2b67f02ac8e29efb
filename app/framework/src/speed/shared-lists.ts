import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { hasRowVersions } from '../database/capabilities.ts'
import { databaseContext } from '../database/executor.ts'
import type { ListStatement } from '../lists/list-statement.ts'
import { weakMemoize } from '../resource/memoize.ts'
import type { Resource } from '../resource/resource.ts'

type Stored = Record<string, unknown>

/**
 * Executes the statement of a list. It is built and compiled once for each shape and each text of its condition: each
 * request compiles only its own condition, for this text and its parameters. Literals are kept as a part of the text,
 * parameters are not.
 */
export async function executeShared(statement: ListStatement): Promise<Stored[]> {
  const { db } = databaseContext()
  const { condition, numbers, shape, isFrequent } = statement
  // Plugins must see the nodes of the whole query.
  if (shape === null || db.getExecutor().plugins.length > 0) return statement.build(statement).execute()
  const own = sql`${condition}`.compile(db)
  if (own.sql.length > LONGEST) return statement.build(statement).execute()
  const { length } = own.parameters
  const areLiterals = isFrequent === true && hasOnePlan(own, numbers)
  // As parameters, the numbers follow those of the condition.
  const texts = numbers.map((number, index) => (areLiterals ? String(number) : `$${length + 1 + index}`))
  const query = sharedQuery(statement, `(${own.sql})`, texts)
  const parameters = areLiterals ? own.parameters : [...own.parameters, ...numbers]
  const { rows } = await db.executeQuery<Stored>({ ...query, parameters })
  return rows
}

/**
 * Returns whether Postgres may keep the plan of a statement with these numbers as literals: with a limit as a parameter,
 * it plans each time, which takes as long as reading the rows of a page. With a value in the condition, the plan must
 * depend on it: the one for users with many rows reads the whole table for a user with few.
 */
const hasOnePlan = ({ parameters }: CompiledQuery, numbers: readonly number[]): boolean =>
  parameters.length === 0 && numbers.every(Number.isSafeInteger)

/** The queries of each resource, without parameters. */
const queriesOf = weakMemoize((_resource: Resource) => new Map<string, CompiledQuery>())
/** The most queries of a resource, of some 10 kB each. Beyond, the one that was not used for the longest time goes. */
const MOST_QUERIES = 100

/** Longer conditions are not shared, such as those with thousands of values: a query for each number would be kept. */
const LONGEST = 2_000

/** Returns the query of a statement with these texts as its condition and its numbers. */
function sharedQuery(statement: ListStatement, condition: string, numbers: readonly string[]): CompiledQuery {
  const known = queriesOf(statement.resource)
  const key = [hasRowVersions(databaseContext().db), statement.shape, numbers, condition].join('\n')
  const compiled = known.get(key) ?? compiledQuery(statement, condition, numbers)
  // A Map lists its keys in the order of their insertion.
  known.delete(key)
  known.set(key, compiled)
  if (known.size > MOST_QUERIES) known.delete(known.keys().next().value as string)
  return compiled
}

function compiledQuery(
  statement: ListStatement,
  condition: string,
  numbers: readonly string[],
): CompiledQuery {
  const compiled = statement
    .build({
      condition: sql.raw(condition),
      numbers: numbers.map((text): RawBuilder<number> => sql.raw(text)),
    })
    .compile()
  if (compiled.parameters.length > 0)
    throw new Error('A list has values besides its condition and its numbers: its statement can’t be shared.')
  return compiled
}
