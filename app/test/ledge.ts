import { type ColumnType, type Generated, type Kysely, sql } from 'kysely'
import { z } from 'zod'
import {
  field,
  type Json,
  policy,
  type PolicyContext,
  repository,
  resource,
  type RowOf,
  scope,
  type Tables,
} from 'pergola'

// What the sample has no need of: ids that are UUIDs, references to choose, a record of one's own kind among them.
export interface LedgeTable {
  id: Generated<string>
  name: string
  owner_id: number
  parent_id: ColumnType<string | null, string | null | undefined>
  opened_at: ColumnType<string | null, string | null | undefined>
  created_at: ColumnType<string, string | undefined, never>
  version: ColumnType<number, never, never>
}

export interface TomeTable {
  id: Generated<string>
  title: string
  slug: string
  ledge_id: string
  details: ColumnType<Json | null, Json | null | undefined>
  created_at: ColumnType<string, string | undefined, never>
}

declare module 'pergola' {
  interface Tables {
    ledges: LedgeTable
    tomes: TomeTable
  }
  interface Policies {
    Ledge: typeof ledgePolicy
    Tome: typeof tomePolicy
  }
}

export const Ledge = resource('Ledge', {
  table: 'ledges',
  id: 'uuid',
  label: 'name',
  input: z.strictObject({
    name: field.string({ max: 50 }),
    parent_id: field.reference('uuid').nullable().default(null),
    opened_at: field.datetime().nullable().default(null),
  }),
  owner: 'owner_id',
  references: { parent_id: 'self' },
  sort: ['name'],
})
export type Ledge = RowOf<typeof Ledge>

export const Tome = resource('Tome', {
  table: 'tomes',
  id: 'uuid',
  label: 'title',
  input: z.strictObject({
    title: field.string(),
    slug: field.slug(),
    ledge_id: field.reference('uuid'),
    details: field.json().nullable().default(null),
  }),
  references: { ledge_id: Ledge },
  sort: ['title', 'created_at'],
  search: ['title'],
  filters: { ledge_id: field.reference('uuid') },
})
export type Tome = RowOf<typeof Tome>

const owns = (ctx: PolicyContext, ledge: { owner_id?: number }) => ctx.owns(ledge.owner_id)
export const ledgePolicy = policy(Ledge, { canShow: owns, canCreate: owns, canUpdate: owns, canDelete: owns })

const signedIn = (ctx: PolicyContext) => ctx.userId !== null
export const tomePolicy = policy(Tome, {
  canShow: () => true,
  canCreate: signedIn,
  canUpdate: signedIn,
  canDelete: signedIn,
})

export const ledges = repository(Ledge, {
  api: '/api/ledges',
  policy: ledgePolicy,
  scope: scope(Ledge, { where: (ctx, is) => is('owner_id', '=', ctx.userId) }),
  version: true,
})

export const tomes = repository(Tome, {
  api: '/api/tomes',
  policy: tomePolicy,
  scope: scope(Tome, { where: (_ctx, is) => is.lit(true) }),
  cursorKey: 'created_at',
  cursorKeyType: 'timestamptz',
})

export async function createLedges(db: Kysely<Tables>): Promise<void> {
  await sql`create table ledges (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    owner_id bigint not null references users,
    parent_id uuid references ledges,
    opened_at timestamptz(3),
    created_at timestamptz not null default now(),
    version integer not null default 1
  )`.execute(db)
  await sql`create table tomes (
    id uuid primary key default gen_random_uuid(),
    title text not null,
    slug text not null,
    ledge_id uuid not null references ledges,
    details jsonb,
    created_at timestamptz not null default now(),
    constraint tomes_slug_unique unique (ledge_id, slug)
  )`.execute(db)
  await sql`create unique index tomes_title_unique on tomes (lower(title))`.execute(db)
}
