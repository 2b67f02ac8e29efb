import {
  type Expression,
  expressionBuilder,
  isExpression,
  type Kysely,
  OperationNodeTransformer,
  type QueryId,
  type ReferenceNode,
  sql,
  type SqlBool,
  TableNode,
} from 'kysely'
import { scopeMark } from '../database/query-marks.ts'
import type { Origin } from '../database/row-origins.ts'
import { type AnyBuilder, anyTables, tableOf, versionText } from '../database/statements.ts'
import type { Resource } from '../resource/resource.ts'
import type { Tables } from '../resource/tables.ts'
import type { PolicyContext, ScopeQuestion } from './authorization-types.ts'
import { registryOf } from './request-state.ts'
import { narrowing, registeredScope } from './scope.ts'

/** A record about which the scope is asked. */
export interface AskedRecord {
  readonly record: object
  /** Undefined for a draft and for a copy, such as a row as it would become. */
  readonly origin: Origin | undefined
  readonly isDraft: boolean
}

/** The most records of a statement. */
export const LARGEST_BATCH = 1_000

/**
 * Returns for each record whether it is in the scope. Sends one statement, which evaluates the scope for the values of
 * the record, so that it decides like every other rule about an outdated row, an updated row and a draft. The hidden
 * columns come from the stored row. In a draft, columns without a value are null.
 *
 * Throws if the context has no database, and if a value can't be sent.
 */
export async function recordsInScope(
  ctx: PolicyContext,
  question: ScopeQuestion,
  asked: readonly AskedRecord[],
): Promise<boolean[]> {
  const { resource } = question
  const db = databaseOf(ctx, resource)
  const input = JSON.stringify(asked.map((one) => inputOf(one)))
  const rows = await anyTables(db)
    .selectFrom(sql`jsonb_array_elements(${input}::jsonb) with ordinality`.as<'row'>(INPUT))
    .leftJoin(`${tableOf(resource)} as __stored` as 'row', (join) =>
      storedConditions(resource, ctx).reduce((all, condition) => all.on(condition), join),
    )
    .modifyFront(scopeMark())
    .select([sql<string>`"__input"."n"`.as('n'), inScopeOf(ctx, question, db).as('answer')])
    .execute()
  const answers = new Map(rows.map(({ n, answer }) => [Number(n), answer]))
  return asked.map((_one, index) => answers.get(index + 1) === true)
}

const INPUT = sql`"__input" ("value", "n")`

function databaseOf(ctx: PolicyContext, { name }: Resource): Kysely<Tables> {
  if (ctx.db === undefined || registryOf(ctx) === undefined)
    throw new Error(
      `inScope of ${name} needs a database and the scopes: contextOf(session, { db: database, registry: registryOfResources(resources) }).`,
    )
  return ctx.db as unknown as Kysely<Tables>
}

/** The values of a record as JSON, with the id and the version of its stored row. */
function inputOf({ record, origin, isDraft }: AskedRecord): object {
  const { id } = record as { id?: unknown }
  const values = Object.entries(record).map(([column, value]) => [column, asJson(value)] as const)
  return {
    id: isDraft ? null : (origin?.id ?? id ?? null),
    version: origin?.version ?? null,
    values: Object.fromEntries(values),
  }
}

/**
 * Returns a value of a column as JSON from which Postgres reads the same value. The objects of the driver that have
 * another text in JSON are bytes and intervals. Throws for SQL, whose value only Postgres knows.
 */
function asJson(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  // JSON has no NaN and no Infinity.
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(asJson)
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  if (isExpression(value))
    throw new Error('inScope can’t decide about a value that is SQL. Pass the value itself.')
  return hasPostgresText(value) ? value.toPostgres() : value
}

const hasPostgresText = (value: object): value is { toPostgres(): string } =>
  typeof (value as { toPostgres?: unknown }).toPostgres === 'function'

/** Returns the conditions for the stored row. Its key may begin with the tenant. */
const storedConditions = ({ idKind, tenant }: Resource, ctx: PolicyContext) => [
  ...(tenant === null ? [] : [sql<boolean>`"__stored".${sql.ref(tenant)} = ${ctx.tenant}`]),
  sql<boolean>`"__stored"."id" = ("__input"."value" ->> 'id')::${sql.raw(idKind)}`,
]

/** Returns the condition of the scope for the record of the input, under the name of the table. */
function inScopeOf(ctx: PolicyContext, { resource, variant }: ScopeQuestion, db: Kysely<Tables>) {
  const is: AnyBuilder = expressionBuilder()
  const table = tableOf(resource)
  const name = table.split('.').at(-1) as 'row'
  const condition = narrowing(registeredScope(resource, ctx), { ctx, resource, variant })(is)
  // An unchanged row is taken from the table, with the exact values of all types.
  const record = sql`jsonb_populate_record("__stored",
    case when ${versionText(resource, { alias: '__stored', db })} = "__input"."value" ->> 'version'
      then '{}' else "__input"."value" -> 'values' end)`
  const found = is
    .selectFrom(record.as<'row'>(sql.ref(name)))
    .select(sql`1`.as('one'))
    .where(table.includes('.') ? withoutSchema(condition, table) : condition)
  // A subquery has only the columns of the table, so that no name is ambiguous.
  return sql<boolean>`exists ${found}`
}

/** Returns the condition with `posts.title` in place of `archive.posts.title`. */
function withoutSchema(condition: Expression<SqlBool>, table: string): Expression<SqlBool> {
  const node = new WithoutSchema(table).transformNode(condition.toOperationNode())
  return { expressionType: undefined, toOperationNode: () => node }
}

class WithoutSchema extends OperationNodeTransformer {
  readonly #table: string

  constructor(table: string) {
    super()
    this.#table = table
  }

  protected override transformReference(node: ReferenceNode, id?: QueryId): ReferenceNode {
    const { table, ...rest } = super.transformReference(node, id)
    const { schema, identifier } = table?.table ?? {}
    if (identifier === undefined || `${schema?.name}.${identifier.name}` !== this.#table) return node
    return { ...rest, table: TableNode.create(identifier.name) }
  }
}
