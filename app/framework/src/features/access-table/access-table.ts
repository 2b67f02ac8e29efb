import type { Kysely } from 'kysely'
import { claimAccessTable } from '../../resource/references.ts'
import type { TableName, Tables } from '../../resource/tables.ts'
import { executor } from '../../database/executor.ts'
import { writeGuardFor } from '../../database/write-guard.ts'

/** A table that decides about access, as `accessTable()` returns it. */
export interface AccessTable<T extends TableName = TableName> {
  readonly table: T
  /** Returns the database of the current request or task, which may write this table. The audit lists the reason. */
  asSystem(why: string): Kysely<Tables>
}

/**
 * Declares a table that rules read, but that is not a resource, such as the members of teams. Other code than its
 * `asSystem('why')` can't write it, and the audit lists the queries that read it.
 *
 * Throws if the table belongs to a resource, or is already declared.
 *
 * ```ts
 * export const teamMembers = accessTable('team_members')
 * await teamMembers.asSystem('add-member').insertInto('team_members').values({ team_id, user_id }).execute()
 * ```
 */
export function accessTable<T extends TableName>(table: T): AccessTable<T> {
  claimAccessTable(table)
  return Object.freeze({
    table,
    asSystem(why: string) {
      if (why.trim() === '')
        throw new Error(`${table}: asSystem needs a reason, such as asSystem('add-member').`)
      return executor().withPlugin(writeGuardFor(table))
    },
  })
}
