import { type CompiledQuery, type RawBuilder, sql, type SqlBool } from 'kysely'
import { hasRowVersions } from '../database/capabilities.ts'
import { databaseContext } from '../database/executor.ts'
import type { ListStatement } from '../lists/list-statement.ts'
import { weakMemoize } from '../resource/memoize.ts'
import type { Resource } from '../resource/resource.ts'

type Stored = Record<string, unknown>

/**
 * Executes the statement of a list. It is built and compiled once for each shape, with placeholders for the parts. Each
 * request compiles only its own condition, whose text and parameters take the place of the placeholder. No value is kept.
 */
export async function executeShared(statement: ListStatement): Promise<Stored[]> {
  const { db } = databaseContext()
  const { shape } = statement
  // Plugins must see the nodes of the whole query.
  if (shape === null || db.getExecutor().plugins.length > 0) return statement.build(statement).execute()
  const { rows } = await db.executeQuery<Stored>(filled(templateOf(statement, shape), statement))
  return rows
}

/** A compiled query without its parts. */
interface Template {
  readonly compiled: CompiledQuery
  /** Its text. Between two texts is a part: the index of its number, or -1 for the condition. */
  readonly texts: readonly string[]
  readonly parts: readonly number[]
}

function filled({ compiled, texts, parts }: Template, { condition, numbers, isFrequent }: ListStatement) {
  const own = sql`${condition}`.compile(databaseContext().db)
  const { length } = own.parameters
  const areLiterals = isFrequent && hasOnePlan(own, numbers)
  // As parameters, the numbers follow those of the condition.
  const numberText = (index: number) => (areLiterals ? String(numbers[index]) : `$${length + 1 + index}`)
  let text = texts[0]!
  for (const [index, part] of parts.entries())
    text += (part === CONDITION ? `(${own.sql})` : numberText(part)) + texts[index + 1]!
  return {
    ...compiled,
    sql: text,
    parameters: areLiterals ? own.parameters : [...own.parameters, ...numbers],
  }
}

/**
 * Returns whether Postgres may keep the plan of a statement with these numbers as literals: with a limit as a parameter,
 * it plans each time, which takes as long as reading the rows of a page. With a value in the condition, the plan must
 * depend on it: the one for users with many rows reads the whole table for a user with few.
 */
const hasOnePlan = ({ parameters }: CompiledQuery, numbers: readonly number[]): boolean =>
  parameters.length === 0 && numbers.every(Number.isSafeInteger)

const CONDITION = -1
/** Encloses a part in the text of a template. No SQL contains this character. */
const QUOTE = '\u0001'
const placeholder = <Value>(part: number): RawBuilder<Value> => sql.raw(QUOTE + String(part) + QUOTE)

/** The templates of each resource, by their shapes. */
const templatesOf = weakMemoize((_resource: Resource) => new Map<string, Template>())
/** The most templates of a resource. Each has about 10 kB. */
const MOST_TEMPLATES = 100

function templateOf(statement: ListStatement, shape: string): Template {
  const known = templatesOf(statement.resource)
  const key = `${hasRowVersions(databaseContext().db)} ${shape}`
  const template = known.get(key)
  if (template !== undefined) return template
  const compiled = compile(statement)
  // A Map lists its keys in the order of their insertion.
  if (known.size >= MOST_TEMPLATES) known.delete(known.keys().next().value as string)
  known.set(key, compiled)
  return compiled
}

function compile(statement: ListStatement): Template {
  const query = statement.build({
    condition: placeholder<SqlBool>(CONDITION),
    numbers: statement.numbers.map((_number, index) => placeholder<number>(index)),
  })
  const compiled = query.compile()
  if (compiled.parameters.length > 0)
    throw new Error('A list has values besides its condition and its numbers: its statement can’t be shared.')
  const pieces = compiled.sql.split(QUOTE)
  return {
    compiled,
    texts: pieces.filter((_piece, index) => index % 2 === 0),
    parts: pieces.filter((_piece, index) => index % 2 === 1).map(Number),
  }
}
