import { constraintName } from 'pergola/database'
import { altered } from '../code/migration-file.ts'
import { importLine } from '../code/snippets.ts'
import type { Field } from '../field-types/field-type.ts'
import { ID_TYPES } from '../field-types/references.ts'
import type { Model } from '../model.ts'
import type { ScaffoldRecord } from '../project/record.ts'
import { fieldNameIn, namesOf, wordsOf } from '../read/names.ts'
import { askedBy } from '../read/options.ts'

/** Returns the fields whose ids join tables store. */
export const joinedFields = ({ fields }: Pick<Model, 'fields'>): Field[] =>
  fields.filter(({ type }) => type.isList)

/** Returns the fields that are columns of the table. */
export const columnFields = (fields: readonly Field[]): Field[] => fields.filter(({ type }) => !type.isList)

/** Returns the column with the id of one of the other records: `tag_id` for `tag_ids`. */
export const otherColumn = ({ column }: Field): string => column.replace(/s$/, '')

const singular = ({ names }: Pick<Model, 'names'>) => wordsOf(names.file).join('_')

/** Returns the join tables of a scaffolded resource. */
export const joinTablesOf = ({ names, scaffold }: ScaffoldRecord): string[] =>
  askedBy(scaffold.command)
    .fields.filter((token) => /^[^:]+:many\b/.test(token))
    .map((token) => `${singular({ names })}_${fieldNameIn(token)}`)

/** The names of a join table: `ticket_tags`, with `ticket_id` and `tag_id`. */
export function joinOf(model: Pick<Model, 'names' | 'tenant'>, field: Field) {
  const table = `${singular(model)}_${field.name}`
  return {
    table,
    own: `${singular(model)}_id`,
    other: otherColumn(field),
    type: `${namesOf(table).resource}Table`,
    tenant: field.target?.tenant === undefined ? undefined : model.tenant?.column,
  }
}

const joinsOf = (model: Model) => joinedFields(model).map((field) => ({ field, ...joinOf(model, field) }))

/** Returns the types of the join tables, for the template of `ticket.ts`. */
export const joinTypes = (model: Model) =>
  joinsOf(model).map(({ field, table, own, other, type, tenant }) => ({
    table,
    type,
    columns: [
      ...(tenant === undefined ? [] : [`${tenant}: number`]),
      `${own}: ${ID_TYPES[model.id]}`,
      `${other}: ${ID_TYPES[field.target?.id ?? 'bigint']}`,
    ],
    humans: `The ${field.label.toLowerCase()} of ${model.names.humans}.`,
  }))

/** Returns the option of the resource; none without joins. */
export function joinOptions(model: Model): string[] {
  const joins = joinsOf(model).map(({ field, table, own, other, tenant }) => {
    const keys = `own: '${own}', other: '${other}'${tenant === undefined ? '' : `, tenant: '${tenant}'`}`
    return `${field.column}: joinTable('${table}', { ${keys} })`
  })
  return joins.length === 0 ? [] : [`joins: { ${joins.join(', ')} }`]
}

export const joinImports = (model: Model): string[] =>
  joinedFields(model).length === 0 ? [] : [importLine('type JoinedIds, joinTable', 'pergola/features')]

/** Returns the statements that create the join tables of these fields. */
export const joinSteps = (model: Model, fields: readonly Field[]): string[] =>
  joinedFields({ fields }).flatMap((field) => stepsOf(model, field))

function stepsOf(model: Model, field: Field): string[] {
  const { table, own, other, tenant } = joinOf(model, field)
  const { id, names } = model
  const keys = [
    { column: own, type: id, parent: names.table, onDelete: 'cascade' },
    {
      column: other,
      type: field.target?.id ?? 'bigint',
      parent: field.target?.names.table ?? '',
      onDelete: field.onDelete ?? 'cascade',
    },
  ] as const
  const columns = keys.map(({ column, type, parent, onDelete }) => {
    const reference = tenant === undefined ? `.references('${parent}.id').onDelete('${onDelete}')` : ''
    return `.addColumn('${column}', '${type}', (column) => column.notNull()${reference})`
  })
  const [first, key] =
    tenant === undefined
      ? [[], []]
      : [[`.addColumn('${tenant}', 'bigint', (column) => column.notNull())`], [tenant]]
  const keyed = (...names: string[]) => [...key, ...names].map((name) => `'${name}'`).join(', ')
  const foreign =
    tenant === undefined
      ? []
      : keys.map(
          ({ column, parent, onDelete }) =>
            `.addForeignKeyConstraint('${constraintName(table, column, 'fkey')}', [${keyed(column)}], '${parent}', [${keyed('id')}], (key) => key.onDelete('${onDelete}'))`,
        )
  return [
    [
      `await db.schema.createTable('${table}')`,
      ...first,
      ...columns,
      `.addPrimaryKeyConstraint('${table}_pkey', [${keyed(own, other)}])`,
      ...foreign,
      '.execute()',
    ].join('\n'),
    `await db.schema.createIndex('${constraintName(table, other)}').on('${table}').columns([${keyed(other, own)}]).execute()`,
  ]
}

/** Returns the statements that drop the join tables of these fields. */
export const dropJoins = (model: Model, fields: readonly Field[]): string[] =>
  joinedFields({ fields }).map(
    (field) => `await db.schema.dropTable('${joinOf(model, field).table}').execute()`,
  )

/** Returns the statements that rename a join table with its parts, after the resource or the field has another name. */
export function joinRenamed(was: Model, model: Model, { from, to }: { from: Field; to: Field }): string[] {
  const [old, now] = [joinOf(was, from), joinOf(model, to)]
  if (old.table === now.table) return []
  const renamed = (one: string, other: string, step: string) =>
    one === other ? [] : [altered(now.table, `${step}('${one}', '${other}')`)]
  const key = (column: string, { table }: typeof now) => constraintName(table, column, 'fkey')
  return [
    altered(old.table, `renameTo('${now.table}')`),
    ...renamed(old.own, now.own, 'renameColumn'),
    ...renamed(old.other, now.other, 'renameColumn'),
    ...renamed(`${old.table}_pkey`, `${now.table}_pkey`, 'renameConstraint'),
    ...renamed(key(old.own, old), key(now.own, now), 'renameConstraint'),
    ...renamed(key(old.other, old), key(now.other, now), 'renameConstraint'),
    `await sql\`alter index ${constraintName(old.table, old.other)} rename to ${constraintName(now.table, now.other)}\`.execute(db)`,
  ]
}

/** Returns the condition for records that have one of the others. */
export function hasJoined(model: Model, field: Field): string {
  const { table, own } = joinOf(model, field)
  return `exists (select from ${table} where ${table}.${own} = ${model.names.table}.id)`
}
