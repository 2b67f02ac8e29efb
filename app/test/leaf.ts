import { type ColumnType, type Generated, type Kysely, sql } from 'kysely'
import { z } from 'zod'
import { policy, type PolicyContext, resource, type RowOf, scope, type Tables } from 'pergola'
import { User } from '#app/users/user.ts'

// What the sample has no need of: a trash, versions, and columns of every kind.
export interface LeafTable {
  id: Generated<number>
  owner_id: number
  title: string
  note: string | null
  count: ColumnType<number, number | undefined>
  is_green: ColumnType<boolean, boolean | undefined>
  tags: ColumnType<string[], string[] | undefined>
  marks: ColumnType<unknown, string | undefined>
  seen_at: ColumnType<string | null, string | null | undefined>
  deleted_at: ColumnType<string | null, never, never>
  version: ColumnType<number, never, never>
  updated_at: ColumnType<string, never, never>
}

declare module 'pergola' {
  interface Tables {
    leaves: LeafTable
  }
  interface Policies {
    Leaf: typeof leafPolicy
  }
}

export const Leaf = resource('Leaf', {
  table: 'leaves',
  input: z.strictObject({
    title: z.string().min(1),
    note: z.string().nullable().default(null),
    is_green: z.boolean().default(true),
  }),
  owner: 'owner_id',
  references: { owner_id: User },
})
export type Leaf = RowOf<typeof Leaf>

const owns = (ctx: PolicyContext, leaf: { owner_id?: number }) => ctx.owns(leaf.owner_id)

export const leafPolicy = policy(Leaf, {
  canShow: owns,
  canCreate: owns,
  canUpdate: owns,
  canDelete: owns,
  canRestore: owns,
})

export const leafScope = scope(Leaf, { where: (ctx, is) => is('owner_id', '=', ctx.userId) })

export const createLeaves = (db: Kysely<Tables>) =>
  sql`create table leaves (
    id bigint generated always as identity primary key,
    owner_id bigint not null,
    title text not null check (title <> 'refused'),
    note text,
    count integer not null default 0,
    is_green boolean not null default true,
    tags text[] not null default '{}',
    marks jsonb,
    seen_at timestamptz,
    deleted_at timestamptz,
    version integer not null default 1,
    updated_at timestamptz not null default now()
  )`.execute(db)
