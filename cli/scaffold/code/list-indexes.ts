import { constraintName } from 'pergola/database'
import { filterFields, searchFields, sortFields } from './model-fields.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { keyColumns } from './key-columns.ts'
import { sqlName } from './sql-names.ts'

/** Returns the statements of the indexes for the references, the orders and the filters of a resource. */
export function indexSteps(model: Model, fields: readonly Field[] = model.fields): string[] {
  const { cursor } = model
  const sorted = sortFields(model).filter((field) => fields.includes(field) && !isInOrder(field))
  const walked = fields.filter((field) => field.column === cursor && !isInOrder(field))
  const ordered = new Set([...sorted, ...walked])
  const plain = fields.filter(
    (field) => (field.target || field.index) && !field.unique && !ordered.has(field),
  )
  const filtered = filterFields(model).filter(
    (field) => fields.includes(field) && !field.unique && !ordered.has(field) && !plain.includes(field),
  )
  return [
    ...plain.map(({ column }) => plainIndex(model, column)),
    ...[...ordered].map(({ column }) => listIndex(model, column, 'sort')),
    ...filtered.map(({ column }) => listIndex(model, column, 'filter')),
  ]
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
const isInOrder = ({ unique, nullable }: Field) => unique && !nullable

/** The index of a parent provides the order of its list. */
function plainIndex(model: Model, column: string): string {
  const { tenant, parent, cursor } = model
  const { table } = model.names
  const order = parent?.field.column === column ? [cursor ?? 'created_at', 'id'] : []
  const isOne = tenant === undefined && order.length === 0
  const columns = isOne ? `column('${column}')` : `columns([${keyColumns(model, column, ...order)}])`
  return `await db.schema.createIndex('${constraintName(table, column)}').on('${table}').${columns}.execute()`
}

/** Returns the index for both directions of an order, or for a filter: Postgres reads it forward and backward. */
export function listIndex(model: Model, column: string, use: 'sort' | 'filter'): string {
  const {
    names: { table },
    softDelete,
  } = model
  const rows = softDelete ? '.where(sql<boolean>`deleted_at is null`)' : ''
  const name = constraintName(table, column, use)
  return `await db.schema.createIndex('${name}').on('${table}').columns([${keyColumns(model, column, 'id')}])${rows}.execute()`
}

function searchIndex({ names: { table }, softDelete }: Model, column: string): string {
  const name = constraintName(table, column, 'search')
  const rows = softDelete ? ' where deleted_at is null' : ''
  return `create index ${name} on ${sqlName(table)} using gin (${sqlName(column)} gin_trgm_ops)${rows}`
}
