import { type Expression, sql, type SqlBool } from 'kysely'
import { regclass } from '../../database/table-columns.ts'
import { executor } from '../../database/executor.ts'
import { anyTables } from '../../database/statements.ts'
import type { Resource } from '../../resource/resource.ts'
import type { ListOptions, ListSource } from '../list-source.ts'
import { type KeyText, keyColumns, keyOf, refs } from './walk-key.ts'
import { checkLimits, conditions, limitsOf } from './key-limits.ts'
import type { KeyRangeOptions, Partition } from './batch-options.ts'

/**
 * The number of table pages that are sampled to learn how the keys are distributed. A smaller table is read as a
 * whole.
 */
const SAMPLED_PAGES = 1_000
/** The fewest sampled rows for each partition; below that, the sizes would be random. */
const MIN_ROWS = 100

/** See `Batching.partitions`. */
export async function partitions<R extends Resource>(
  source: ListSource<R>,
  count: number,
  options: ListOptions<R> & KeyRangeOptions<R>,
): Promise<Partition<R>[]> {
  if (!Number.isSafeInteger(count) || count < 1)
    throw new RangeError(`The number of partitions must be a whole number from 1; got ${count}.`)
  const columns = keyColumns(source.resource, options.order)
  const limits = limitsOf(columns, options)
  const bounds = [limits.start, limits.after, limits.until]
  await checkLimits(source.resource, columns, { order: options.order, bounds })
  const within = conditions(columns, limits)
  const borders = count === 1 ? [] : await quantiles(source, { count, columns, within, options })
  return between(borders, options)
}

/** Returns the ranges between the borders. The first and the last are as open as the whole list. */
function between<R extends Resource>(borders: readonly KeyText[], range: KeyRangeOptions<R>): Partition<R>[] {
  const { order, start, after, until } = range
  const all = order === undefined ? {} : { order }
  const first = { ...(start === undefined ? {} : { start }), ...(after === undefined ? {} : { after }) }
  const last = until === undefined ? {} : { until }
  return [null, ...borders].map((border, place) => {
    const next = borders[place]
    return {
      ...all,
      ...(border === null ? first : { after: border }),
      ...(next === undefined ? last : { until: next }),
    }
  })
}

interface QuantileOptions<R extends Resource> {
  count: number
  columns: readonly string[]
  within: readonly Expression<SqlBool>[]
  options: ListOptions<R>
}

async function quantiles<R extends Resource>(
  source: ListSource<R>,
  wanted: QuantileOptions<R>,
): Promise<KeyText[]> {
  const sample = await sampled(source.resource)
  if (sample === null) return (await bordersOf(source, wanted)).borders
  const { borders, total } = await bordersOf(source, { ...wanted, within: [...wanted.within, sample] })
  return total < MIN_ROWS * wanted.count ? (await bordersOf(source, wanted)).borders : borders
}

/** Returns every n-th key of the rows. The last range needs no border. */
async function bordersOf<R extends Resource>(
  source: ListSource<R>,
  { count, columns, within, options }: QuantileOptions<R>,
): Promise<{ borders: KeyText[]; total: number }> {
  const rows = within
    .reduce((query, condition) => query.where(condition), source.narrowed(options))
    .select([...columns])
    .select([
      sql`row_number() over (order by ${refs(columns)})`.as('__place'),
      sql`count(*) over ()`.as('__total'),
    ])
  const found = await anyTables(executor())
    .selectFrom(rows.as('row'))
    .selectAll()
    .where(sql<SqlBool>`__place * ${sql.lit(count)} % __total < ${sql.lit(count)} and __place < __total`)
    .orderBy('__place')
    .execute()
  return { borders: found.map((row) => keyOf(columns, row)), total: Number(found[0]?.['__total'] ?? 0) }
}

/** Returns a condition that samples rows; null if the table is small enough to be read as a whole. */
async function sampled(resource: Resource): Promise<Expression<SqlBool> | null> {
  const { rows } = await sql<{ pages: number }>`
    select pg_relation_size(${regclass(resource)})::float8 / current_setting('block_size')::float8 as pages`.execute(
    executor(),
  )
  const share = SAMPLED_PAGES / (rows[0]?.pages ?? 0)
  const table = sql.table(resource.table)
  return share >= 1
    ? null
    : sql<SqlBool>`ctid = any(array(select ctid from ${table} tablesample system (${sql.lit(100 * share)})))`
}
