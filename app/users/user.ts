import type { ColumnType, Generated } from 'kysely'
import { z } from 'zod'
import { resource, type RowOf } from 'pergola'
import { displayName } from './display-name.ts'
import type { ROLES } from './roles.ts'

export interface UserTable {
  id: Generated<number>
  name: string
  /** Always lower case. */
  email: string
  password_digest: string
  roles: ColumnType<string[], string[] | undefined, string[]>
  disabled_at: ColumnType<string | null, string | undefined, string | null>
  /** When the user opened a link that was sent to the email address. Null until then. */
  email_verified_at: ColumnType<string | null, string | undefined, string | null>
  created_at: ColumnType<string, string | undefined, never>
  /** The number of published posts at the last `cli task recount-posts`. */
  posts_count: ColumnType<number, number | undefined, number>
  version: ColumnType<number, number | undefined, never>
}

declare module 'pergola' {
  interface Tables {
    users: UserTable
  }
}

declare module 'pergola' {
  interface Roles extends Record<(typeof ROLES)[number], true> {}
}

export const User = resource('User', {
  table: 'users',
  label: 'name',
  input: z.strictObject({ name: displayName }),
  columns: ['roles', 'disabled_at', 'email_verified_at', 'created_at', 'posts_count'],
  // Rows contain names but no email addresses, so that pages and the API can't leak them.
  hidden: ['email', 'password_digest'],
  sort: ['name', 'created_at'],
  search: ['name'],
  // Detects conflicting edits.
  version: true,
})
export type User = RowOf<typeof User>
