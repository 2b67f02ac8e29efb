import type { Request, Response } from 'express'
import type { ColumnType, Generated, Kysely } from 'kysely'
import type { Logger } from 'pino'
import { z } from 'zod'
import {
  field,
  type Handler,
  type ListQuery,
  type PolicyContext,
  policy,
  repository,
  resource,
  type Routes,
  scope,
  type Tables,
} from 'pergola'
import { mail } from 'pergola/mail'
import type { Makers } from 'pergola/testing'
import type { createToken as createAppToken } from '#app/account-tokens/account-tokens.ts'
import type { linkTo as linkToApp } from '#app/account-tokens/links.ts'
import type { Config } from '#app/config.ts'
import type { TestApp } from '#app/test/test-app.ts'
import type { User } from '#app/users/user.ts'

// The names that examples in the documents use and do not declare. The compiler reads them, and nothing runs.

/** A column that only the framework writes. */
type Managed<Value> = ColumnType<Value, Value | undefined, never>

declare module 'pergola' {
  interface Tables {
    volumes: {
      id: Generated<number>
      title: string
      price: string
      starts_at: string | null
      state: string
      details: object | null
      size: { height: number }
      days: readonly string[]
      shelf_id: string
      tag_ids: number[]
    }
    trips: { id: Generated<number>; from_day: string; to_day: string }
    comments: { id: Generated<number>; post_id: number; author_id: number; text: string }
    entries: {
      id: Generated<number>
      title: string
      status: string
      due_at: string | null
      created_at: Managed<string>
    }
    devices: {
      id: Generated<number>
      name: string
      owner_id: number
      token: string
      created_at: Managed<string>
    }
    employees: { id: Generated<number>; user_id: number; name: string; salary: number }
    leaves: {
      id: Generated<number>
      title: string
      owner_id: number
      version: Managed<number>
      updated_at: Managed<string>
      deleted_at: ColumnType<string | null, string | undefined, never>
    }
    products: { id: Generated<number>; title: string; price: string }
    projects: {
      id: Generated<number>
      name: string
      owner_id: number
      account_id: number
      created_at: Managed<string>
    }
    accounts: { id: Generated<number>; name: string }
  }
  interface Roles {
    editor: true
    hr: true
    support: true
  }
  interface EventKinds {
    'token-created': true
  }
}

export const Comment = resource('Comment', {
  table: 'comments',
  input: z.strictObject({ text: field.text() }),
  columns: ['post_id'],
  owner: 'author_id',
})
export const Entry = resource('Entry', {
  table: 'entries',
  input: z.strictObject({ title: field.string() }),
  columns: ['status', 'due_at', 'created_at'],
})
export const entryPolicy = policy(Entry, { canShow: () => true })
export const entryScope = scope(Entry, { where: (_ctx, is) => is.lit(true) })
export const Employee = resource('Employee', {
  table: 'employees',
  input: z.strictObject({ name: field.string(), salary: field.integer() }),
  columns: ['user_id'],
})
const Leaf = resource('Leaf', {
  table: 'leaves',
  input: z.strictObject({ title: field.string() }),
  columns: ['owner_id'],
  softDelete: true,
  version: true,
  updatedAt: true,
})
export const leafPolicy = policy(Leaf, { canShow: () => true })
export const leafScope = scope(Leaf, { where: (_ctx, is) => is.lit(true) })
const Product = resource('Product', {
  table: 'products',
  input: z.strictObject({ title: field.string(), price: field.decimal(10, 2) }),
})
export const products = repository(Product, {})
export const csvInput = Product.input
const Project = resource('Project', {
  table: 'projects',
  input: z.strictObject({ name: field.string() }),
  columns: ['account_id', 'owner_id', 'created_at'],
})
export const projects = repository(Project, {})
export const newsletterLink = mail('newsletter-link', {
  data: z.object({ link: z.url() }),
  subject: () => 'Newsletter',
  example: { link: 'https://example.org/' },
})

// A request and its handlers
export declare const req: Request
export declare const res: Response
export declare const ctx: PolicyContext
export declare const db: Kysely<Tables>
export declare const log: Logger
export declare const config: Config
export declare const settings: { readonly https: boolean }
export declare const feedbackRoutes: Routes
export declare const create: Handler
export declare const index: Handler
export declare const destroy: Handler
export declare const close: Handler

// Records and values
export declare const post: { id: number; title: string }
export declare const user: User
export declare const account: { id: number }
// oxlint-disable-next-line typescript/no-explicit-any -- the query of any list
export declare const query: ListQuery<any>
export declare const address: string
export declare const email: string
export declare const name: string
export declare const link: string
export declare const password_digest: string
export declare const data: { name: string; link: string }
export declare const token: { user_id: number }
export declare const tokens: { insert(row: object): Promise<void> }

// Tests
export declare const app: TestApp
export declare const owner: Awaited<ReturnType<TestApp['newcomer']>>
export declare const stranger: TestApp['guest']
export declare const makers: Makers

// Functions of the reader
export declare function recount(rows: readonly { id: number }[]): Promise<void>
export declare function savePosition(position: unknown): Promise<void>
export declare function closeOldProjects(): Promise<void>
export declare function accountByName(name: string | undefined): Promise<{ id: number } | undefined>
export declare function accountIdOf(userId: number): Promise<number>

// Parts of the application that the reader has extended
export declare function createToken(
  token: Omit<Parameters<typeof createAppToken>[0], 'purpose'> & { purpose: string },
): ReturnType<typeof createAppToken>
export declare function linkTo(
  from: Parameters<typeof linkToApp>[0],
  link: { purpose: string; token: string },
): string
