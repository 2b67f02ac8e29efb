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
} from '#framework'

// What the sample has no need of: ids that are UUIDs, references to choose, a record of one's own kind among them.
export interface ShelfTable {
  id: Generated<string>
  name: string
  owner_id: number
  parent_id: ColumnType<string | null, string | null | undefined>
  opened_at: ColumnType<string | null, string | null | undefined>
  created_at: ColumnType<string, string | undefined, never>
  version: ColumnType<number, never, never>
}

export interface BookTable {
  id: Generated<string>
  title: string
  slug: string
  shelf_id: string
  details: ColumnType<Json | null, Json | null | undefined>
  created_at: ColumnType<string, string | undefined, never>
}

declare module '#framework' {
  interface Tables {
    shelves: ShelfTable
    books: BookTable
  }
  interface Policies {
    Shelf: typeof shelfPolicy
    Book: typeof bookPolicy
  }
}

export const Shelf = resource('Shelf', {
  table: 'shelves',
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
export type Shelf = RowOf<typeof Shelf>

export const Book = resource('Book', {
  table: 'books',
  id: 'uuid',
  label: 'title',
  input: z.strictObject({
    title: field.string(),
    slug: field.slug(),
    shelf_id: field.reference('uuid'),
    details: field.json().nullable().default(null),
  }),
  references: { shelf_id: Shelf },
  sort: ['title', 'created_at'],
  search: ['title'],
  filters: { shelf_id: field.reference('uuid') },
})
export type Book = RowOf<typeof Book>

const owns = (ctx: PolicyContext, shelf: { owner_id?: number }) => ctx.owns(shelf.owner_id)
export const shelfPolicy = policy(Shelf, { canShow: owns, canCreate: owns, canUpdate: owns, canDelete: owns })

const signedIn = (ctx: PolicyContext) => ctx.userId !== null
export const bookPolicy = policy(Book, {
  canShow: () => true,
  canCreate: signedIn,
  canUpdate: signedIn,
  canDelete: signedIn,
})

export const shelves = repository(Shelf, {
  api: '/api/shelves',
  policy: shelfPolicy,
  scope: scope(Shelf, { where: (ctx, is) => is('owner_id', '=', ctx.userId) }),
  version: true,
})

export const books = repository(Book, {
  api: '/api/books',
  policy: bookPolicy,
  scope: scope(Book, { where: (_ctx, is) => is.lit(true) }),
  cursorKey: 'created_at',
  cursorKeyType: 'timestamptz',
})

export async function createShelves(db: Kysely<Tables>): Promise<void> {
  await sql`create table shelves (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    owner_id bigint not null references users,
    parent_id uuid references shelves,
    opened_at timestamptz(3),
    created_at timestamptz not null default now(),
    version integer not null default 1
  )`.execute(db)
  await sql`create table books (
    id uuid primary key default gen_random_uuid(),
    title text not null,
    slug text not null,
    shelf_id uuid not null references shelves,
    details jsonb,
    created_at timestamptz not null default now(),
    constraint books_slug_unique unique (shelf_id, slug)
  )`.execute(db)
  await sql`create unique index books_title_unique on books (lower(title))`.execute(db)
}
