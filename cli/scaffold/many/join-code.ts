import { constraintName } from 'pergola/database'
import { altered } from '../code/migration-file.ts'
import type { Field } from '../field-types/field-type.ts'
import { ID_TYPES } from '../field-types/references.ts'
import type { Model } from '../model.ts'
import type { ScaffoldRecord } from '../project/record.ts'
import { fieldNameIn, type Names, namesOf, wordsOf } from '../read/names.ts'
import { askedBy } from '../read/options.ts'

/** Returns the fields whose ids join tables store. */
export const joinedFields = ({ fields }: Pick<Model, 'fields'>): Field[] =>
  fields.filter(({ type }) => type.isList)

/** Returns the fields that are columns of the table. */
export const columnFields = (fields: readonly Field[]): Field[] => fields.filter(({ type }) => !type.isList)

const singular = ({ file }: Names) => wordsOf(file).join('_')
const tableName = (names: Names, field: string) => `${singular(names)}_${field}`

/** Returns the join tables of a scaffolded resource. */
export const joinTablesOf = ({ names, scaffold }: ScaffoldRecord): string[] =>
  askedBy(scaffold.command)
    .fields.filter((token) => /^[^:]+:many\b/.test(token))
    .map((token) => tableName(names, fieldNameIn(token)))

/** The names of a join table: `ticket_tags`, with `ticket_id` and `tag_id`. */
export function joinOf({ names, tenant }: Pick<Model, 'names'> & Partial<Model>, field: Field) {
  const table = tableName(names, field.name)
  return {
    table,
    own: `${singular(names)}_id`,
    other: field.column.replace(/s$/, ''),
    type: `${namesOf(table).resource}Table`,
    position: field.ordered ? 'position' : undefined,
    tenant: field.target?.tenant === undefined ? undefined : tenant?.column,
  }
}

const joinsOf = (model: Model) => joinedFields(model).map((field) => ({ field, ...joinOf(model, field) }))

/** Returns the types of the join tables, for the template of `ticket.ts`. */
export const joinTypes = (model: Model) =>
  joinsOf(model).map(({ field, table, own, other, type, position, tenant }) => ({
    table,
    type,
    columns: [
      ...(tenant === undefined ? [] : [`${tenant}: number`]),
      `${own}: ${ID_TYPES[model.id]}`,
      `${other}: ${ID_TYPES[field.target?.id ?? 'bigint']}`,
      ...(position === undefined ? [] : [`${position}: number`]),
    ],
    humans: `The ${field.label.toLowerCase()} of ${model.names.humans}.`,
  }))

/** Returns the option of the resource; none without joins. */
export function joinOptions(model: Model): string[] {
  const joins = joinsOf(model).map(({ field, table, own, other, position, tenant }) => {
    const columns = Object.entries({ own, other, position, tenant }).flatMap(([name, column]) =>
      column === undefined ? [] : [`${name}: '${column}'`],
    )
    return `${field.column}: joinTable('${table}', { ${columns.join(', ')} })`
  })
  return joins.length === 0 ? [] : [`joins: { ${joins.join(', ')} }`]
}

/** Returns the statements that create the join tables of these fields. */
export const joinSteps = (model: Model, fields: readonly Field[]): string[] =>
  joinedFields({ fields }).flatMap((field) => stepsOf(model, field))

function stepsOf(model: Model, field: Field): string[] {
  const { table, own, other, position, tenant } = joinOf(model, field)
  const keyed = (...names: string[]) =>
    [...(tenant === undefined ? [] : [tenant]), ...names].map((name) => `'${name}'`).join(', ')
  const index = (name: string, ...columns: string[]) =>
    `await db.schema.createIndex('${name}').on('${table}').columns([${keyed(...columns)}]).execute()`
  const keys = [
    { column: own, type: model.id, parent: model.names.table, onDelete: 'cascade' },
    {
      column: other,
      type: field.target?.id ?? 'bigint',
      parent: field.target?.names.table ?? '',
      onDelete: field.onDelete ?? 'cascade',
    },
  ].map(({ column, type, parent, onDelete }) => ({
    column: `.addColumn('${column}', '${type}', (column) => column.notNull()`,
    reference: `.references('${parent}.id').onDelete('${onDelete}')`,
    // With the tenant, so that Postgres refuses records of another one.
    foreignKey: `.addForeignKeyConstraint('${constraintName(table, column, 'fkey')}', [${keyed(column)}], '${parent}', [${keyed('id')}], (key) => key.onDelete('${onDelete}'))`,
  }))
  const primaryKey = `.addPrimaryKeyConstraint('${table}_pkey', [${keyed(own, other)}])`
  const place =
    position === undefined ? [] : [`.addColumn('${position}', 'integer', (column) => column.notNull())`]
  const parts =
    tenant === undefined
      ? [...keys.map(({ column, reference }) => `${column}${reference})`), ...place, primaryKey]
      : [
          `.addColumn('${tenant}', 'bigint', (column) => column.notNull())`,
          ...keys.map(({ column }) => `${column})`),
          ...place,
          primaryKey,
          ...keys.map(({ foreignKey }) => foreignKey),
        ]
  return [
    [`await db.schema.createTable('${table}')`, ...parts, '.execute()'].join('\n'),
    index(constraintName(table, other), other, own),
    ...(position === undefined ? [] : [index(constraintName(table, position), own, position, other)]),
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
  const indexRenamed = (one: string, other: string) =>
    `await sql\`alter index ${constraintName(old.table, one)} rename to ${constraintName(now.table, other)}\`.execute(db)`
  return [
    altered(old.table, `renameTo('${now.table}')`),
    ...renamed(old.own, now.own, 'renameColumn'),
    ...renamed(old.other, now.other, 'renameColumn'),
    ...renamed(`${old.table}_pkey`, `${now.table}_pkey`, 'renameConstraint'),
    ...renamed(key(old.own, old), key(now.own, now), 'renameConstraint'),
    ...renamed(key(old.other, old), key(now.other, now), 'renameConstraint'),
    indexRenamed(old.other, now.other),
    ...(old.position === undefined ? [] : [indexRenamed(old.position, old.position)]),
  ]
}

/** Returns the condition for records that have one of the others. */
export function hasJoined(model: Model, field: Field): string {
  const { table, own } = joinOf(model, field)
  return `exists (select from ${table} where ${table}.${own} = ${model.names.table}.id)`
}
