import { type ColumnType, sql } from 'kysely'
import { executor } from '../../database/executor.ts'
import type { Join } from '../../resource/join.ts'
import type { ColumnOf, RecordId, TableName } from '../../resource/tables.ts'

declare const joined: unique symbol
const ref = (place: string, column: string) => sql.ref(`${place}.${column}`)

/** The type of a column that a join stores: `tag_ids: JoinedIds`. The table in the database lacks this column. */
export type JoinedIds<Id extends RecordId = number> = ColumnType<
  readonly Id[],
  readonly Id[] | undefined,
  readonly Id[]
> & { readonly [joined]: true }

interface JoinColumns<T extends TableName> {
  /** The column with the id of the record. */
  readonly own: ColumnOf<T>
  /** The column with the id of the other record. */
  readonly other: ColumnOf<T>
  /** The column with the position of the other record in the list, an integer. */
  readonly position?: ColumnOf<T>
  /** The column with the tenant, if the foreign keys contain it. The table of the record has a column of this name, too. */
  readonly tenant?: ColumnOf<T>
}

/**
 * Declares that a join table stores a column: a list of ids of other records, each once. They are in ascending order, or
 * with `position` in the order in which they are written. The reference of the column names their resource. Callers get
 * the ids of the records that they see in lists. When they write a list, its other ids stay behind those that they
 * followed. The two ids are the key of the table, or unique together.
 *
 * ```ts
 * resource('Ticket', {
 *   input: z.strictObject({ title: field.string(), tag_ids: field.references() }),
 *   references: { tag_ids: Tag },
 *   joins: { tag_ids: joinTable('ticket_tags', { own: 'ticket_id', other: 'tag_id' }) },
 *   version: true,
 * })
 * ```
 */
export function joinTable<T extends TableName>(
  name: T,
  { own, other, position, tenant }: JoinColumns<T>,
): Join {
  const table = sql.table(name)
  const [ownId, otherId] = [ref('pair', own), ref('pair', other)]
  const inOrder = position === undefined ? otherId : sql`${ref('pair', position)}, ${otherId}`
  /** The columns that refer to the record, and those of its table. */
  const keys = [[own, 'id'] as const, ...(tenant === undefined ? [] : [[tenant, tenant] as const])]
  const others = [other, ...(position === undefined ? [] : [position])]
  const belongsTo = (records: string) =>
    sql.join(
      keys.map(([column, key]) => sql`${ref('pair', column)} = ${ref(records, key)}`),
      sql` and `,
    )
  return Object.freeze<Join>({
    isOrdered: position !== undefined,
    ids(records, seen) {
      const isSeen = seen === undefined ? sql`` : sql`and ${otherId} in ${seen}`
      return sql`(
        select coalesce(jsonb_agg(${otherId} order by ${inOrder}), '[]')
        from ${table} as pair where ${belongsTo(records)} ${isSeen})`
    },
    has: (records, ids) =>
      sql`exists (select from ${table} as pair where ${belongsTo(records)} and ${otherId} in ${ids})`,
    hasAll: (records, ids, count) =>
      sql`${ref(records, 'id')} in (select ${ownId} from ${table} as pair where ${otherId} in ${ids}
        group by ${ownId} having count(*) = ${count})`,
    async store(records, column, rows) {
      const pairs = rows.flatMap(({ id, [column]: ids }) =>
        (ids as readonly RecordId[]).map((one, index) => ({
          [own]: id,
          [other]: one,
          ...(position !== undefined && { [position]: index + 1 }),
        })),
      )
      const pair = sql.join([own, other].map((column) => sql.id(column)))
      const columns = [...keys.map(([column]) => column), ...others].map((column) => sql.id(column))
      const moved =
        position === undefined
          ? sql``
          : sql`moved as (
          update ${table} as pair set ${sql.id(position)} = ${ref('kept', position)} from kept
          where ${ownId} = ${ref('kept', own)} and ${otherId} = ${ref('kept', other)}
            and ${ref('pair', position)} <> ${ref('kept', position)}),`
      await sql`
        with kept as (select * from jsonb_populate_recordset(null::${table}, ${JSON.stringify(pairs)}::jsonb)),
        ${moved}
        removed as (
          delete from ${table} as pair
          where ${ownId} = any(${rows.map(({ id }) => id)}) and (${pair}) not in (select ${pair} from kept))
        insert into ${table} (${sql.join(columns)})
        select ${sql.join([...keys.map(([, key]) => ref(records, key)), ...others.map((column) => ref('pair', column))])}
        from kept as pair join ${sql.table(records)} on ${ownId} = ${ref(records, 'id')}
        on conflict do nothing`.execute(executor())
    },
  })
}
