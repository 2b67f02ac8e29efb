import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  type Authorized,
  authorize,
  authorizeRecord,
  contextOf,
  deny,
  field,
  filter,
  type Handler,
  type IdOf,
  inScope,
  jsonInput,
  type InputOf,
  type Json,
  labelsOf,
  listQuery,
  load,
  policy,
  type PolicyContext,
  publicRoute,
  record,
  repository,
  resource,
  routes,
  scope,
  scoped,
  secured,
  type Written,
} from 'pergola'
import { Dossier } from './fixtures/dossier.ts'
import { Note, notes } from './fixtures/note.ts'
import { Leaf, leafPolicy } from './fixtures/leaf.ts'
import { type Tome, tomes, Ledge, ledges } from './fixtures/ledge.ts'
import { User } from './fixtures/user.ts'

const input = z.strictObject({})
const ofNotes = {
  table: 'notes',
  input,
  columns: ['title', 'body', 'published', 'author_id', 'created_at'],
} as const
const ofUsers = {
  table: 'users',
  input,
  columns: ['name', 'roles', 'disabled_at', 'created_at', 'version', 'notes_count'],
  hidden: ['email'],
} as const

// This code is only compiled. If a line after @ts-expect-error has no type error, the type check of `npm test` fails.
describe('types', () => {
  it('reject a route without an access guard, or with its guards in the wrong order', () => {
    const handler: Handler = () => {}
    const never = () => [
      routes('/x', { 'GET /': [secured(), load(Note), authorize('update', Note), handler] }),
      // @ts-expect-error no access guard
      routes('/x', { 'GET /': [handler] }),
      // @ts-expect-error an access guard that is not first
      routes('/x', { 'GET /': [load(Note), authorize('update', Note), handler] }),
      // @ts-expect-error a missing handler
      routes('/x', { 'GET /': [publicRoute()] }),
      // @ts-expect-error a method that doesn't exist
      routes('/x', { 'GTE /': [publicRoute(), handler] }),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('reject a misspelt action', () => {
    const never = () => [
      authorize('show', Note),
      // @ts-expect-error an undeclared action
      authorize('publsh', Note),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('reject an undeclared role', () => {
    const never = (ctx: PolicyContext) => [
      secured('admin'),
      ctx.hasRole('admin'),
      // @ts-expect-error an undeclared role
      secured('editor'),
      // @ts-expect-error an undeclared role
      ctx.hasRole('Admin'),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('reject invalid actions, results and parameters of rules', () => {
    const never = () => [
      policy(Note, { canBecome: (ctx, before, after) => ctx.owns(after.author_id) && before.published }),
      policy(Note, { before: (ctx, action, note) => action === 'show' && ctx.owns(note.author_id) }),
      policy(Note, { before: (ctx) => (ctx.hasRole('admin') ? true : undefined) }),
      policy(Note, { canShow: () => deny('locked') }, { forbiddenResponse: 'auto' }),
      // @ts-expect-error canBecome is not an action
      authorize('become', Note),
      // @ts-expect-error before is not an action
      authorize('before', Note),
      // @ts-expect-error a rule for the rows of another resource
      policy(Note, { canShow: (_ctx, user: User) => user.roles.length > 0 }),
      // @ts-expect-error an unknown column of the updated row
      policy(Note, { canBecome: (ctx, _before, after) => ctx.owns(after.writer_id) }),
      // @ts-expect-error a string is not a valid result
      policy(Note, { canShow: () => 'locked' }),
      // @ts-expect-error undefined is not a valid result
      policy(Note, { canShow: () => {} }),
      // @ts-expect-error only before may return undefined
      policy(Note, { canShow: () => (Math.random() > 1 ? true : undefined) }),
      // @ts-expect-error an unknown forbiddenResponse
      policy(Note, {}, { forbiddenResponse: '401' }),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('reject unknown variants of the scope, and inScope as `before`', () => {
    const never = () => [
      policy(Dossier, { canShow: inScope(), canPublish: inScope('mine'), canBecome: inScope() }),
      policy(Dossier, {
        canShow: inScope('titled', { title: 'Old' }),
        canUpdate: (ctx, row) => ctx.owns(row.id),
      }),
      policy(Note, { canShow: inScope() }),
      // @ts-expect-error an unknown variant
      policy(Dossier, { canShow: inScope('typo') }),
      // @ts-expect-error a missing parameter of a variant
      policy(Dossier, { canShow: inScope('titled') }),
      // @ts-expect-error a wrong parameter of a variant
      policy(Dossier, { canShow: inScope('titled', { title: 7 }) }),
      // @ts-expect-error a parameter of a variant without one
      policy(Dossier, { canShow: inScope('mine', { title: 'Old' }) }),
      // @ts-expect-error a variant of another resource's scope
      policy(Note, { canShow: inScope('mine') }),
      // @ts-expect-error before decides about all actions
      policy(Dossier, { before: inScope() }),
      // @ts-expect-error inScope is a rule for a policy, and not a function
      inScope()(null, null),
    ]
    expectTypeOf(never).toBeFunction()
    const declared = () => policy(Dossier, { canShow: inScope() }).rules.canShow
    expectTypeOf(declared).returns.toBeCallableWith(contextOf(null), null as never)
  })

  it('reject writes without a decision', () => {
    const never = async (req: Parameters<Handler>[0], note: Note) => {
      await notes.update(record(req, Note, 'update'), { title: 'x' }, { set: ['title'] })
      await notes.update(await authorizeRecord(req, 'update', Note, note), { title: 'x' }, { set: ['title'] })
      // @ts-expect-error a row without a decision
      await notes.update(note, { title: 'x' })
      // @ts-expect-error a decision on another action
      await notes.delete(record(req, Note, 'update'))
      // @ts-expect-error a row of another resource
      await notes.update(record(req, User, 'update'), { title: 'x' })
      // @ts-expect-error an unknown column
      await notes.update(record(req, Note, 'update'), { titel: 'x' })
      // @ts-expect-error values that no schema read, and that the code doesn't name
      await notes.update(record(req, Note, 'update'), { title: 'x' })
      // @ts-expect-error the body of the request
      await notes.update(record(req, Note, 'update'), req.body)
      // @ts-expect-error the body of the request, with the names of columns
      await notes.insert(record(req, Note, 'create'), req.body, { set: ['title'] })
      // @ts-expect-error the body of the request, as a draft
      await authorizeRecord(req, 'create', Note, req.body)
      // @ts-expect-error the input of another resource
      await notes.update(record(req, Note, 'update'), await jsonInput(req, User))
      // @ts-expect-error a column without its name, beside input
      await notes.insert(record(req, Note, 'create'), { ...(await jsonInput(req, Note)), author_id: 1 })
      // @ts-expect-error a list without visibleTo or asSystem
      await notes.findAll()
      // @ts-expect-error a draft without a decision
      await notes.insert({ title: 'x', body: 'y', author_id: 1 })
    }
    expectTypeOf(never).toBeFunction()
  })

  it('require a resource to name each column of its table type, and no other', () => {
    const columns = ['body', 'author_id', 'created_at'] as const
    const published = z.strictObject({ title: z.string(), published: z.boolean() })
    const never = () => [
      resource('Note', { table: 'notes', input: published, columns }),
      resource('Note', {
        table: 'notes',
        input: published,
        columns: ['created_at', 'body'],
        owner: 'author_id',
      }),
      resource('Note', {
        table: 'notes',
        input: published,
        columns: ['created_at'],
        hidden: ['body', 'author_id'],
      }),
      resource('Grove', { table: 'groves', input, columns: ['name', 'created_at'], tenant: 'account_id' }),
      // @ts-expect-error no columns
      resource('Note', { table: 'notes', input: published }),
      // @ts-expect-error published is missing
      resource('Note', { table: 'notes', input: z.strictObject({ title: z.string() }), columns }),
      // @ts-expect-error body is missing
      resource('Note', { table: 'notes', input: published, columns: ['author_id', 'created_at'] }),
      // @ts-expect-error an unknown column
      resource('Note', { table: 'notes', input: published, columns: [...columns, 'colour'] }),
      // @ts-expect-error a hidden column
      resource('Note', { table: 'notes', input: published, columns, hidden: ['body'] }),
      // @ts-expect-error version is not a managed column without the option
      resource('User', {
        ...ofUsers,
        columns: ['name', 'roles', 'disabled_at', 'created_at', 'notes_count'],
      }),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('let a resource declare only managed columns that its table has', () => {
    const never = () => [
      resource('Leaf', {
        table: 'leaves',
        input,
        columns: ['title', 'note', 'is_green', 'count', 'tags', 'marks', 'seen_at', 'owner_id'],
        softDelete: true,
        version: true,
        updatedAt: true,
      }),
      // @ts-expect-error no column deleted_at
      resource('Note', { ...ofNotes, softDelete: true }),
      // @ts-expect-error no column version
      resource('Note', { ...ofNotes, version: true }),
      // @ts-expect-error no column updated_at
      resource('Note', { ...ofNotes, updatedAt: true }),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('allow withTrashed and restore only for resources with softDelete', () => {
    const never = async (req: Parameters<Handler>[0], ctx: PolicyContext, leaf: Leaf) => {
      const leaves = repository(Leaf, { policy: leafPolicy })
      const plain = repository(Note, {})
      await leaves.restore(await authorizeRecord(req, 'restore', Leaf, leaf))
      await leaves.visibleTo(ctx).withTrashed().count()
      await leaves.asSystem('test').purge(1)
      // @ts-expect-error a decision on another action
      await leaves.restore(record(req, Leaf, 'delete'))
      // @ts-expect-error a row without a decision
      await leaves.restore(leaf)
      // @ts-expect-error the policy of notes has no canRestore
      authorize('restore', Note)
      // @ts-expect-error a resource without softDelete
      plain.withTrashed()
      // @ts-expect-error a resource without softDelete
      plain.visibleTo(ctx).withTrashed()
      // @ts-expect-error a resource without softDelete
      await plain.asSystem('test').purge(1)
      // @ts-expect-error only the system can purge
      await leaves.purge(1)
    }
    expectTypeOf(never).toBeFunction()
  })

  it('limit the columns of upsertMany, and reject it for repositories with hooks', () => {
    const never = async (leaf: Leaf) => {
      const all = repository(Leaf, {}).asSystem('test')
      await all.upsertMany([leaf], { columns: ['title', 'count'] })
      await all.upsertMany([{ id: 1, title: 'x' }], { columns: ['title'] })
      // @ts-expect-error an unknown column
      await all.upsertMany([leaf], { columns: ['titel'] })
      // @ts-expect-error the id identifies the row and can't be changed
      await all.upsertMany([leaf], { columns: ['id'] })
      // @ts-expect-error a managed column
      await all.upsertMany([leaf], { columns: ['version'] })
      // @ts-expect-error a row without the column
      await all.upsertMany([{ id: 1, title: 'x' }], { columns: ['count'] })
      // @ts-expect-error a value of another type
      await all.upsertMany([{ id: 1, title: 7 }], { columns: ['title'] })
      const hooked = repository(Leaf, { hooks: { afterInsert: () => {} } }).asSystem('test')
      // @ts-expect-error hooks would not run
      await hooked.upsertMany([leaf], { columns: ['title'] })
      // @ts-expect-error drafts without a decision
      await repository(Leaf, {}).saveMany([{ owner_id: 1, title: 'x' }])
    }
    expectTypeOf(never).toBeFunction()
  })

  it('infer the parameters of hooks and finders', () => {
    const never = async (ctx: PolicyContext) => {
      const leaves = repository(Leaf, {
        hooks: {
          beforeInsert: (values) => ({ note: values.title ?? null }),
          afterUpdate: (row, before) => expectTypeOf([row, before]).toEqualTypeOf<Leaf[]>(),
          afterCommit: (_row, what) => expectTypeOf(what).toEqualTypeOf<Written>(),
        },
        finders: {
          by: (list, owner: number) => list.findAll({ where: (is) => is('owner_id', '=', owner) }),
        },
      })
      expectTypeOf(await leaves.visibleTo(ctx).by(7)).toEqualTypeOf<Leaf[]>()
      expectTypeOf(await leaves.asSystem('test').withTrashed().by(7)).toEqualTypeOf<Leaf[]>()
      // @ts-expect-error an owner of another type
      await leaves.visibleTo(ctx).by('Ann')
      // @ts-expect-error a finder without visibleTo or asSystem
      await leaves.by(7)
      // @ts-expect-error an unknown column
      repository(Leaf, { hooks: { afterInsert: (row) => row.titel } })
      // @ts-expect-error the name of a method
      repository(Leaf, { finders: { page: (list) => list.findAll() } })
    }
    expectTypeOf(never).toBeFunction()
  })

  it('infer the parameters of rules, and reject unknown columns', () => {
    const never = () => [
      policy(Note, { canShow: (ctx, note) => ctx.owns(note.author_id) && note.published }),
      // @ts-expect-error an unknown column
      policy(Note, { canShow: (_ctx, note) => note.publishd }),
      // @ts-expect-error a number is not a valid result
      policy(Note, { canShow: () => 1 }),
      // @ts-expect-error the name of a rule must begin with can
      policy(Note, { mayShow: () => true }),
      scope(Note, { where: (ctx, is) => is('author_id', '=', ctx.userId) }),
      // @ts-expect-error an unknown column
      scope(Note, { where: (ctx, is) => is('autor_id', '=', ctx.userId) }),
      // @ts-expect-error a boolean is not an SQL expression
      scope(Note, { where: () => true }),
      // @ts-expect-error the policy of another resource
      repository(User, { policy: policy(Note, {}) }),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('reject an order by a nullable, hidden or unknown column, and unknown options', () => {
    const never = () => [
      repository(User, { order: 'name,-disabled_at nulls last' }),
      // @ts-expect-error a nullable column
      repository(User, { order: 'disabled_at' }),
      // @ts-expect-error a nullable column behind another one
      repository(User, { order: 'name,-disabled_at' }),
      // @ts-expect-error a column that is never null
      repository(User, { order: 'name nulls last' }),
      // @ts-expect-error a hidden column
      repository(User, { order: '-email' }),
      // @ts-expect-error an unknown column
      repository(User, { order: '-called_at' }),
      // @ts-expect-error an unknown column behind another one
      repository(User, { order: 'name,called_at' }),
      // @ts-expect-error an unknown option
      repository(User, { orders: 'name' }),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('distinguish numeric ids from UUIDs', () => {
    const id = '0190a2b4-0000-7000-8000-00000000000a'
    const all = tomes.asSystem('test')
    const never = async (ctx: PolicyContext, tome: Tome) => {
      expectTypeOf((await tomes.asSystem('test').find(id))?.id).toEqualTypeOf<string | undefined>()
      expectTypeOf(await all.saveMany([])).toEqualTypeOf<string[]>()
      expectTypeOf(await notes.asSystem('test').saveMany([])).toEqualTypeOf<number[]>()
      expectTypeOf(await labelsOf(ctx, Ledge, [tome.ledge_id, null])).toEqualTypeOf<Map<string, string>>()
      expectTypeOf(await labelsOf(ctx, Note, [7])).toEqualTypeOf<Map<number, string>>()
      await all.upsertMany([{ id, title: 'x' }], { columns: ['title'] })
      // @ts-expect-error a number instead of a UUID
      await tomes.asSystem('test').find(7)
      // @ts-expect-error a UUID instead of a number
      await notes.asSystem('test').find(id)
      // @ts-expect-error a number instead of a UUID
      await all.delete(7)
      // @ts-expect-error a number instead of a UUID
      await ledges.asSystem('test').update(7, { name: 'x' })
      // @ts-expect-error a number instead of a UUID
      await all.upsertMany([{ id: 7, title: 'x' }], { columns: ['title'] })
      // @ts-expect-error ids of another type
      await labelsOf(ctx, Ledge, [7])
    }
    const ofTomes = ['title', 'slug', 'ledge_id', 'details', 'created_at'] as const
    const kinds = () => [
      resource('Other', { table: 'tomes', id: 'uuid', input, columns: ofTomes }),
      // @ts-expect-error ids that are text require the option id
      resource('Other', { table: 'tomes', input, columns: ofTomes }),
      // @ts-expect-error the table's ids are numbers
      resource('Other', { ...ofNotes, id: 'uuid' }),
    ]
    expectTypeOf([never, kinds]).toBeArray()
    expectTypeOf<IdOf<typeof Tome>>().toEqualTypeOf<string>()
    expectTypeOf<IdOf<typeof Note>>().toEqualTypeOf<number>()
  })

  it('require the types of the columns for fields, and reject a hidden or unknown label', () => {
    const never = () => [
      resource('Other', { ...ofUsers, label: 'name' }),
      // @ts-expect-error a hidden column
      resource('Other', { ...ofUsers, label: 'email' }),
      // @ts-expect-error an unknown column
      resource('Other', { ...ofUsers, label: 'title' }),
      // @ts-expect-error a text filter of a numeric column
      resource('Other', { ...ofNotes, filters: { id: field.bigint() } }),
    ]
    expectTypeOf(never).toBeFunction()
    expectTypeOf<InputOf<typeof Tome>>().toEqualTypeOf<{
      title: string
      slug: string
      ledge_id: string
      details: Json | null
    }>()
    const kinds = z.object({
      size: field.integer(),
      price: field.decimal(),
      state: field.enum(['new', 'old']),
    })
    expectTypeOf<z.output<typeof kinds>>().toEqualTypeOf<{
      size: number
      price: string
      state: 'new' | 'old'
    }>()
  })

  it('reject unknown columns, and exclude hidden columns from lists', () => {
    const req = { originalUrl: '/' }
    const never = () => [
      // @ts-expect-error an unknown column
      resource('Other', { ...ofNotes, input: z.strictObject({ titel: z.string() }) }),
      // @ts-expect-error an unknown column
      resource('Other', { ...ofNotes, hidden: ['colour'] }),
    ]
    const lists = () => [
      listQuery(req, Note).filters.published === true,
      listQuery(req, Note).sort === 'title',
      // @ts-expect-error a column that is not in sort
      listQuery(req, Note).sort === 'body',
      listQuery(req, Note).thenBy?.[0]?.column === 'created_at',
      // @ts-expect-error a column that is not in sort
      listQuery(req, Note).thenBy?.[0]?.column === 'body',
      // @ts-expect-error a column without a filter
      listQuery(req, Note).filters.body,
      // @ts-expect-error the query of another resource
      notes.asSystem('test').count({ query: listQuery(req, User) }),
    ]
    const arranged = () => [
      resource('Other', { ...ofUsers, sort: ['name'], search: ['name'], filters: { id: z.int() } }),
      // @ts-expect-error a hidden column to sort by
      resource('Other', { ...ofUsers, sort: ['email'] }),
      // @ts-expect-error a hidden column to search in
      resource('Other', { ...ofUsers, search: ['email'] }),
      // @ts-expect-error a hidden column to filter by
      resource('Other', { ...ofUsers, filters: { email: z.string() } }),
      // @ts-expect-error an unknown column
      resource('Other', { ...ofUsers, sort: ['colour'] }),
      // @ts-expect-error a column to search in that is not text
      resource('Other', { ...ofUsers, search: ['roles'] }),
      // @ts-expect-error an unknown column
      resource('Other', { ...ofUsers, filters: { colour: z.string() } }),
      // @ts-expect-error a text filter of a numeric column
      resource('Other', { ...ofUsers, filters: { id: z.string() } }),
      // @ts-expect-error several texts for a numeric column
      resource('Other', { ...ofUsers, filters: { id: filter.several(z.string()) } }),
      // @ts-expect-error a range of texts for a numeric column
      resource('Other', { ...ofUsers, filters: { id: filter.range(z.string()) } }),
      // @ts-expect-error a range of truth values
      resource('Other', { ...ofNotes, filters: { published: filter.range(z.boolean()) } }),
    ]
    const values = () => {
      const Other = resource('Other', {
        ...ofUsers,
        filters: { id: filter.several(z.int()), created_at: filter.range(z.string()) },
      })
      const { filters } = listQuery(req, Other)
      expectTypeOf(filters.id).toEqualTypeOf<readonly number[] | undefined>()
      expectTypeOf(filters.created_at?.from).toEqualTypeOf<string | undefined>()
      return filters
    }
    const renamed = (ctx: Parameters<typeof scoped>[1]) => [
      scoped(User, ctx).select('name as called'),
      // @ts-expect-error a hidden column with an alias
      scoped(User, ctx).select('email as contact'),
    ]
    expectTypeOf([never, lists, arranged, values, renamed]).toBeArray()
    expectTypeOf<User>().not.toHaveProperty('password_digest')
    expectTypeOf<Authorized<'update', typeof Note>['id']>().toEqualTypeOf<number>()
  })
})
