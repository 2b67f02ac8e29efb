import DataLoader from 'dataloader'
import { expressionBuilder, isExpression, OperationNodeTransformer, sql, TableNode } from 'kysely'
import type { QueryId, ReferenceNode } from 'kysely'
import type { ReadonlyKysely } from 'kysely/readonly'
import { inspect, isDeepStrictEqual } from 'node:util'
import { scopeMark } from '../../database/query-marks.ts'
import { type AnyBuilder, anyTables, tableOf } from '../../rows/statements.ts'
import type { Resource } from '../../resource/resource.ts'
import type { Tables } from '../../resource/tables.ts'
import type { PolicyContext } from '../../policy/authorization-types.ts'
import { memoOf, registryOf, contextState } from '../../policy/policy-state.ts'
import { narrowing, registeredScope } from '../../policy/narrowing.ts'

/** Whether a record is in the scope of its resource, and in this variant of the scope. */
export interface ScopeQuestion {
  readonly resource: Resource
  /** The name of the variant and its parameters. Empty for the whole scope. */
  readonly variant: readonly unknown[]
}

/** A stored row, about which its id asks, or the values of one as it would become. */
interface Asked {
  readonly row: object
  readonly isStored: boolean
}

/** A record of the statement. Its `values` replace those of the stored row. */
interface Input {
  readonly id: unknown
  readonly values: object
}

const LARGEST_BATCH = 1_000
const STORED = {}

/** Returns the source of a question, for people: `inScope('by', { author: 7 })`. */
export const questionText = ({ variant }: ScopeQuestion): string =>
  `inScope(${variant.map((value) => inspect(value, { depth: null, breakLength: Infinity, sorted: true })).join(', ')})`

/**
 * Returns whether a record is in the scope, and in the variant of the question. Concurrent calls share one statement, and
 * the answers about stored rows are reused until the request writes. Throws if the context has no database, and if a value
 * is SQL, which only Postgres knows.
 */
export async function isInScope(ctx: PolicyContext, question: ScopeQuestion, asked: Asked): Promise<boolean> {
  const loader = loaderOf(ctx, question)
  const { id = null } = asked.row as { id?: unknown }
  const value = await loader.load({ id, values: asked.isStored ? STORED : jsonOf(asked.row) })
  contextState(ctx).lookupTrace?.push({
    declaredAt: registeredScope(question.resource, ctx)?.declaredAt ?? 'no scope',
    key: questionText(question),
    value,
    isScope: true,
  })
  return value
}

type Loader = DataLoader<Input, boolean, unknown>

/** Rules with equal questions share their answers. */
function loaderOf(ctx: PolicyContext, question: ScopeQuestion): Loader {
  const { lookups } = memoOf(ctx)
  const equal = lookups.has(question)
    ? question
    : lookups.keys().find((key) => isDeepStrictEqual(key, question))
  const loader = equal === undefined ? batched(ctx, question) : (lookups.get(equal) as Loader)
  lookups.set(question, loader)
  return loader
}

const batched = (ctx: PolicyContext, question: ScopeQuestion): Loader =>
  new DataLoader((inputs: readonly Input[]) => answers(ctx, question, inputs), {
    maxBatchSize: LARGEST_BATCH,
    cacheKeyFn: (input): unknown => (input.values === STORED ? String(input.id) : input),
  })

/** Sends one statement, in which each record has the name of the table, so that the scope's condition applies to it. */
async function answers(
  ctx: PolicyContext,
  question: ScopeQuestion,
  inputs: readonly Input[],
): Promise<boolean[]> {
  const { resource } = question
  const found = await anyTables(databaseOf(ctx, resource))
    .selectFrom(sql`jsonb_array_elements(${JSON.stringify(inputs)}::jsonb) with ordinality`.as<'row'>(INPUT))
    .innerJoin(`${tableOf(resource)} as __stored` as 'row', (join) =>
      storedConditions(resource, ctx).reduce((all, condition) => all.on(condition), join),
    )
    .modifyFront(scopeMark())
    .where(inScopeOf(ctx, question))
    .select(sql<string>`"__input"."n"`.as('n'))
    .execute()
  const listed = new Set(found.map(({ n }) => Number(n)))
  return inputs.map((_input, index) => listed.has(index + 1))
}

const INPUT = sql`"__input" ("value", "n")`

function databaseOf(ctx: PolicyContext, { name }: Resource): ReadonlyKysely<Tables> {
  if (ctx.db !== undefined && registryOf(ctx) !== undefined) return ctx.db
  throw new Error(
    `inScope of ${name} needs a database and the scopes: contextOf(session, { db: database, registry: registryOfResources(resources) }).`,
  )
}

/** Returns the conditions for the stored row. Its key may begin with the tenant. */
const storedConditions = ({ idKind, tenant }: Resource, ctx: PolicyContext) => [
  ...(tenant === null ? [] : [sql<boolean>`"__stored".${sql.ref(tenant)} = ${ctx.tenant}`]),
  sql<boolean>`"__stored"."id" = ("__input"."value" ->> 'id')::${sql.raw(idKind)}`,
]

/** A subquery has only the columns of the table, so that no name of the condition is ambiguous. */
function inScopeOf(ctx: PolicyContext, { resource, variant }: ScopeQuestion) {
  const is: AnyBuilder = expressionBuilder()
  const table = tableOf(resource)
  const condition = narrowing(registeredScope(resource, ctx), { ctx, resource, variant })(is)
  const record = sql`jsonb_populate_record("__stored", "__input"."value" -> 'values')`
  const node = new WithoutSchema(table).transformNode(condition.toOperationNode())
  return is.exists(
    is
      .selectFrom(record.as<'row'>(sql.ref(table.split('.').at(-1) as 'row')))
      .select(sql`1`.as('one'))
      .where({ expressionType: undefined, toOperationNode: () => node }),
  )
}

/** Replaces `archive.posts.title` by `posts.title`, because a subquery has no schema. */
class WithoutSchema extends OperationNodeTransformer {
  readonly #table: string

  constructor(table: string) {
    super()
    this.#table = table
  }

  protected override transformReference(node: ReferenceNode, id?: QueryId): ReferenceNode {
    const { schema, identifier } = node.table?.table ?? {}
    if (schema === undefined || `${schema.name}.${identifier?.name}` !== this.#table)
      return super.transformReference(node, id)
    return { ...super.transformReference(node, id), table: TableNode.create(identifier?.name ?? '') }
  }
}

/** The objects of the driver that have another text in JSON are bytes and intervals. */
const jsonOf = (row: object): object =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, asJson(value)]))

function asJson(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  // JSON has no NaN and no Infinity.
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(asJson)
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  if (isExpression(value))
    throw new Error('inScope can’t decide about a value that is SQL. Pass the value itself.')
  const { toPostgres } = value as { toPostgres?: unknown }
  return typeof toPostgres === 'function' ? (toPostgres.call(value) as unknown) : value
}
