import { type ColumnType, type Generated, type Kysely, sql } from 'kysely'
import { z } from 'zod'
import { field, policy, type PolicyContext, repository, resource, scope, type Tables } from 'pergola'
import type { DebianPostgres } from './debian-postgres.ts'

// A resource whose rows are spread over servers by the account, which is the user who owns them.

interface InvoiceTable {
  id: Generated<number>
  account_id: number
  title: string
  amount: ColumnType<number, number | undefined, number>
  created_at: ColumnType<string, string | undefined, never>
  version: ColumnType<number, number | undefined, never>
}

type ReceiptTable = Omit<InvoiceTable, 'version'>

declare module 'pergola' {
  interface Tables {
    test_invoices: InvoiceTable
    test_receipts: ReceiptTable
  }
  interface Policies {
    TestInvoice: typeof invoicePolicy
    TestReceipt: typeof receiptPolicy
  }
}

const input = z.strictObject({ title: field.string({ max: 200 }), amount: z.int().default(0) })

export const Invoice = resource('TestInvoice', {
  table: 'test_invoices',
  input,
  columns: ['created_at'],
  owner: 'account_id',
  sort: ['title', 'created_at'],
  search: ['title'],
  version: true,
})

/** Has no version: a concurrent edit is detected by a hash of the row. */
export const Receipt = resource('TestReceipt', {
  table: 'test_receipts',
  input,
  columns: ['created_at'],
  owner: 'account_id',
})

const rules = {
  canShow: (ctx: PolicyContext, row: { account_id: number }) =>
    ctx.owns(row.account_id) || ctx.hasRole('admin'),
  canCreate: (ctx: PolicyContext) => ctx.userId !== null,
  canUpdate: (ctx: PolicyContext, row: { account_id: number }) => ctx.owns(row.account_id),
  canDelete: (ctx: PolicyContext, row: { account_id: number }) => ctx.owns(row.account_id),
}
const invoicePolicy = policy(Invoice, rules)
const receiptPolicy = policy(Receipt, rules)

export const invoices = repository(Invoice, {
  api: '/api/test-invoices',
  policy: invoicePolicy,
  scope: scope(Invoice, {
    where: (ctx, is) => (ctx.hasRole('admin') ? is.lit(true) : is('account_id', '=', ctx.userId)),
  }),
  order: '-created_at',
})
export const receipts = repository(Receipt, { api: '/api/test-receipts', policy: receiptPolicy })

const COLUMNS = `account_id bigint not null, title text not null, amount integer not null default 0,
  created_at timestamptz not null default now()`
const TABLES = { test_invoices: `${COLUMNS}, version integer not null default 1`, test_receipts: COLUMNS }

/** Creates both tables on one server. */
export async function createTables(db: Kysely<Tables>): Promise<void> {
  for (const [table, columns] of Object.entries(TABLES))
    await execute(db, [
      `create table ${table} (id bigint generated always as identity, ${columns}, primary key (account_id, id))`,
      ...indexes(table),
    ])
}

/** Creates tables whose partitions are on these servers, by a hash of the account. The ids come from one sequence. */
export async function createPartitions(
  db: Kysely<Tables>,
  servers: readonly { db: Kysely<Tables>; server: DebianPostgres }[],
): Promise<void> {
  await execute(db, ['create extension postgres_fdw'])
  for (const [at, { server }] of servers.entries())
    await execute(db, [
      `create server server${at} foreign data wrapper postgres_fdw
        options (host '127.0.0.1', port '${server.port}', dbname 'postgres')`,
      `create user mapping for postgres server server${at} options (user 'postgres', password_required 'false')`,
    ])
  for (const [table, columns] of Object.entries(TABLES)) {
    await execute(db, [
      `create table ${table} (id bigint generated always as identity, ${columns}) partition by hash (account_id)`,
    ])
    for (const [at, { db: there }] of servers.entries()) {
      await execute(there, [
        `create table ${table} (id bigint not null, ${columns}, primary key (account_id, id))`,
        ...indexes(table),
      ])
      await execute(db, [
        `create foreign table ${table}_${at} partition of ${table}
          for values with (modulus ${servers.length}, remainder ${at})
          server server${at} options (table_name '${table}')`,
      ])
    }
  }
}

// The second index finds a record by its id alone, as a URL names it.
const indexes = (table: string) => [
  `create index on ${table} (account_id, created_at, id)`,
  `create index on ${table} (id)`,
]

async function execute(db: Kysely<Tables>, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
