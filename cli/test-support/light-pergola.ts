/**
 * Minimal types of the framework and the application, to compile generated resources in a test. The compiler detects
 * colliding names with them, and is much faster than with the real types, which need a third of a second per resource.
 *
 * Arguments of the wrong type and collisions with a missing name are not detected. nouns.matrix.ts compiles 200 resources
 * with the real types, and generated.test.ts every model of the matrix.
 */
export const LIGHT_PERGOLA: Readonly<Record<string, string>> = {
  'tsconfig.json': JSON.stringify({
    extends: './root.json',
    compilerOptions: {
      paths: {
        pergola: ['./pergola.d.ts'],
        'pergola/features': ['./features.d.ts'],
        'pergola/testing': ['./testing.d.ts'],
      },
    },
    include: ['app', '*.d.ts'],
    exclude: [],
  }),

  'pergola.d.ts': `
import type { Selectable } from 'kysely'
export interface Tables {}
export interface Policies {}
export type Json = string | number | boolean | null
export interface Resource<Name extends string = string, Table = unknown> { readonly name: Name; readonly table: Table }
export type RowOf<R> = R extends Resource<string, infer Table extends keyof Tables> ? Selectable<Tables[Table]> : never
export function resource<Name extends string, Table extends keyof Tables>(
  name: Name, options: { table: Table; input: object; [option: string]: unknown }): Resource<Name, Table>

interface Ctx { readonly userId: number | null; owns(id: unknown): boolean; hasRole(name: string): boolean }
interface Is { (column: string, operator: string, value: unknown): Condition; lit(value: boolean): Condition; or(all: Condition[]): Condition }
interface Condition { readonly condition: true }
interface Request { readonly request: true }
interface Response { status(code: number): Response; redirect(code: number, path: string): void }
interface Guard { readonly guard: true }
export type Handler = (req: Request, res: Response) => unknown
type Rule<R> = (ctx: Ctx, record: RowOf<R>) => boolean
export interface Policy<R> { readonly policy: R }
export interface Scope<R> { readonly scope: R }
export function policy<R>(resource: R, rules: Record<string, Rule<R>>): Policy<R>
export function scope<R>(resource: R, options: { where: (ctx: Ctx, is: Is) => Condition }): Scope<R>
interface Repository<R> {
  asSystem(why: string): Repository<R>
  visibleTo(ctx: Ctx): Repository<R>
  pageFor(req: Request): Promise<{ page: { content: RowOf<R>[] } }>
  cursorPageFor(req: Request): Promise<{ page: { content: RowOf<R>[] } }>
  abilities(req: Request, records: readonly RowOf<R>[]): Promise<object>
  formFor(record: RowOf<R>): Form<R>
  createFrom(req: Request): Promise<Form<R>>
  updateFrom(req: Request, record: RowOf<R>): Promise<Form<R>>
  find(id: number | string): Promise<RowOf<R> | null>
  insert(values: object, input?: object): Promise<RowOf<R>>
  update(record: RowOf<R>, values: object): Promise<RowOf<R>>
  delete(record: RowOf<R>): Promise<void>
}
export function repository<R>(resource: R, options: { policy: Policy<R>; scope: Scope<R>; [option: string]: unknown }): Repository<R>

interface Form<R> { readonly valid: boolean; readonly status: number; readonly stored: RowOf<R> }
export type PolicyContext = Ctx
export function contextOf(session: object | null): Ctx
export function policyContext(req: Request): Promise<Ctx>
export function render(res: Response, view: string, data: object): Promise<void>
export function record<R>(req: Request, resource: R, action: string): RowOf<R>
export function referenceChoices<R>(req: Request, resource: R, form: Form<R>): Promise<object>
export function labelsOf(ctx: Ctx, resource: Resource, ids: readonly (number | string | null)[]): Promise<object>
export function flash(req: Request, text: string): Promise<void>
export function publicRoute(): Guard
export function secured(): Guard
export function load(resource: Resource): Guard
export function authorize(action: string, resource: Resource): Guard
interface Routes { readonly routes: true }
export function routes(base: string, table: Record<string, (Guard | Handler)[]>): Routes
export function pathAfterWrite(req: Request, record: object, table: Routes): Promise<string>
export function pathTo(table: Routes, key: string, params?: { readonly id: number | string }): string
interface Schema { nullable(): Schema; default(value: unknown): Schema }
export const field: Readonly<Record<FieldType, (options?: unknown) => Schema>>
interface Control { label: string; options?: Record<string, string> }
type Filter = (schema: object, control?: Control) => object
export const filter: { one: Filter; several: Filter; range: Filter }
type FieldType =
  | 'string' | 'text' | 'integer' | 'bigint' | 'decimal' | 'float' | 'boolean' | 'date' | 'time' | 'datetime' | 'uuid' | 'json' | 'email'
  | 'url' | 'slug' | 'enum' | 'reference'
export interface DeclaredResource {
  readonly repository: Repository<never>
  readonly routes: Readonly<Record<string, Routes>>
  readonly nav: string
  seed(userIds: readonly number[]): Promise<void>
  exampleOwners?: () => Promise<number[]>
}
`,

  'features.d.ts': `
import type { Resource } from 'pergola'
export function withFilterChoices<List>(req: object, resource: Resource, list: List): Promise<List>
`,

  'testing.d.ts': `
import type { Policy, Resource } from 'pergola'
export function policyMatrix(policy: Policy<never>, options: object, table: string): void
export function policyMatrix(policy: object, options: object, table: string): void
export function expectParity(app: object, resource: Resource): Promise<void>
export function ownedBy(resource: Resource, user: object): object
`,

  'app/users/user.ts': `
import type { Generated } from 'kysely'
import { resource, type RowOf } from 'pergola'
declare module 'pergola' { interface Tables { users: { id: Generated<number>; name: string } } }
export const User = resource('User', { table: 'users', input: {} })
export type User = RowOf<typeof User>
`,
  'app/users/user.repository.ts': `
import type { DeclaredResource } from 'pergola'
export declare const users: DeclaredResource['repository']
export declare function userNames(ctx: object, ids: readonly (number | null)[]): Promise<object>
`,
  'app/users/user.controller.ts': `
import type { DeclaredResource } from 'pergola'
export declare const userRoutes: DeclaredResource['routes'][string]
`,
  'app/users/user.seed.ts': `
export declare function seedUsers(): Promise<void>
export declare function demoUserIds(): Promise<number[]>
`,
  'app/resources.ts': `import type { DeclaredResource } from 'pergola'
import { userRoutes } from './users/user.controller.ts'
import { users } from './users/user.repository.ts'
import { demoUserIds, seedUsers } from './users/user.seed.ts'

/** Every resource of the application, in alphabetical order. */
export const resources: readonly DeclaredResource[] = [
  { repository: users, routes: { userRoutes }, nav: 'Users', seed: seedUsers, exampleOwners: demoUserIds },
]
`,
  'app/users/user.factory.ts': `
import type { User } from './user.ts'
export declare function makeUser(): Promise<User>
`,
  'app/db/seeding.ts': `
export declare function dayBetween(faker: object, from: number, to: number): string
export declare function daysAgo(days: number): string
export declare function exampleSentence(faker: object): string
export declare function exampleText(faker: object): string
export declare function exampleTitle(faker: object): string
export declare function firstIds(repository: object): Promise<number[]>
export declare function inTurn<Value>(values: readonly Value[], n: number): Value
export declare function momentBetween(faker: object, from: number, to: number): string
export declare function nthDay(n: number): string
export declare function officeTime(faker: object): string
export declare function seededFaker(): Promise<import('@faker-js/faker').Faker>
export declare function unused(make: () => string, n: number): string
export declare function nthMoment(n: number): string
export declare function nthTime(n: number): string
`,
  'app/test/test-app.ts': `
interface Answer { status: number; text: string; headers: Headers; json(): unknown }
type Send = (path: string, options?: object) => Promise<Answer>
interface Client { get: Send; post: Send; put: Send; delete: Send }
type Newcomer = Client & { user: { id: number; email: string } }
interface App {
  guest: Client
  db: { deleteFrom(table: string): { execute(): Promise<void> } }
  newcomer(values?: object): Promise<Newcomer>
  signInAs(email: string): Promise<Client>
  within<Result>(work: () => Promise<Result>): Promise<Result>
}
export declare function testApp(options?: object): Promise<App>
`,
}
