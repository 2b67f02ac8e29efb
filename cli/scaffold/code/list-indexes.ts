import { constraintName } from 'pergola/database'
import { filterFields, searchFields, sortFields } from './model-fields.ts'
import { isUniqueAlone } from '../unique-within/unique-within.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { columnFields } from '../many/join-code.ts'
import { keyColumns } from '../tenants/key-columns.ts'
import { sqlName } from './sql-names.ts'

/** An index of a list. Other columns follow `after` that of the field. */
export interface ListIndex {
  readonly column: string
  readonly use: 'index' | 'sort' | 'filter'
  readonly after: readonly string[]
}

/** Returns the indexes for the references, the orders and the filters of a resource. */
export function indexesOf(model: Model, fields = columnFields(model.fields)): ListIndex[] {
  const { cursor, parent = model.within } = model
  const sorted = sortFields(model).filter((field) => fields.includes(field) && !isInOrder(field))
  const walked = fields.filter((field) => field.column === cursor && !isInOrder(field))
  const ordered = new Set([...sorted, ...walked])
  const plain = fields.filter(
    (field) => (field.target || field.index) && !isUniqueAlone(field) && !ordered.has(field),
  )
  const filtered = filterFields(model).filter(
    (field) =>
      fields.includes(field) && !isUniqueAlone(field) && !ordered.has(field) && !plain.includes(field),
  )
  // The index of a parent provides the order of its list.
  const listed = [cursor ?? 'created_at', 'id']
  return [
    ...plain.map(({ column }) => index(column, 'index', parent?.field.column === column ? listed : [])),
    ...[...ordered].map(({ column }) => index(column, 'sort')),
    ...filtered.map(({ column }) => index(column, 'filter')),
  ]
}

export const index = (column: string, use: ListIndex['use'], after = ['id']): ListIndex => ({
  column,
  use,
  after,
})

export const indexName = ({ names }: Model, { column, use }: Pick<ListIndex, 'column' | 'use'>): string =>
  constraintName(names.table, column, ...(use === 'index' ? [] : [use]))

/** Returns the statement that creates an index. One of an order serves both directions: Postgres reads it backward too. */
export function indexStep(model: Model, { column, use, after }: ListIndex): string {
  const { names, tenant, softDelete } = model
  const name = indexName(model, { column, use })
  const isArray = model.fields.some((field) => field.column === column && field.type.isArray)
  const isOne = isArray || (tenant === undefined && after.length === 0)
  const columns = isOne ? `column('${column}')` : `columns([${keyColumns(model, column, ...after)}])`
  const rows = softDelete && use !== 'index' ? '.where(sql<boolean>`deleted_at is null`)' : ''
  return `await db.schema.createIndex('${name}').on('${names.table}')${isArray ? ".using('gin')" : ''}.${columns}${rows}.execute()`
}

/**
 * Returns the comment and the statement that creates the indexes for searches; empty without a searched column. The
 * statement succeeds without the indexes if their extension is missing. Other tables may use it, so `down` keeps it.
 */
export function searchSteps(model: Model, fields: readonly Field[] = model.fields): string[] {
  const searched = searchFields(model).filter((field) => fields.includes(field))
  if (searched.length === 0) return []
  const statements = searched.map(({ column }) => `      ${searchIndex(model, column)};`)
  return [
    '// Trigrams find the words of a search anywhere in a column. Without the extension, searches read the whole table:',
    '// `npx cli doctor` prints the statements.',
    `await sql\`
    do $$ begin
      create extension if not exists pg_trgm;
${statements.join('\n')}
    exception when insufficient_privilege or feature_not_supported or undefined_file or undefined_object then
      raise warning 'Searches have no index: %', sqlerrm;
    end $$\`.execute(db)`,
  ]
}

/** Returns whether the index of a unique column provides its order. Several rows may have NULL in a nullable column. */
const isInOrder = (field: Field) => isUniqueAlone(field) && !field.nullable

function searchIndex({ names: { table }, softDelete }: Model, column: string): string {
  const name = constraintName(table, column, 'search')
  const rows = softDelete ? ' where deleted_at is null' : ''
  return `create index ${name} on ${sqlName(table)} using gin (${sqlName(column)} gin_trgm_ops)${rows}`
}
