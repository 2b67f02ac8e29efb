import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  type Authorized,
  authorize,
  authorizeRecord,
  type CursorRequest,
  deny,
  field,
  type Handler,
  type IdOf,
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
import { Note, notes } from './fixtures/note.ts'
import { Leaf, leafPolicy } from './fixtures/leaf.ts'
import { type Tome, tomes, Ledge, ledges } from './fixtures/ledge.ts'
import { User } from './fixtures/user.ts'

// Nothing here runs: the compiler is the test. Each line under an expected error must be one, or `npm test` fails.
describe('types', () => {
  it('refuse a route without an access guard, or with its steps out of order', () => {
    const handler: Handler = () => {}
    const never = () => [
      routes('/x', { 'GET /': [secured(), load(Note), authorize('update', Note), handler] }),
      // @ts-expect-error no access guard
      routes('/x', { 'GET /': [handler] }),
      // @ts-expect-error no access guard before the others
      routes('/x', { 'GET /': [load(Note), authorize('update', Note), handler] }),
      // @ts-expect-error no handler
      routes('/x', { 'GET /': [publicRoute()] }),
      // @ts-expect-error a method that doesn't exist
      routes('/x', { 'GTE /': [publicRoute(), handler] }),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('refuse a misspelt action', () => {
    const never = () => [
      authorize('show', Note),
      // @ts-expect-error no such action
      authorize('publsh', Note),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('refuse a role that nobody can have', () => {
    const never = (ctx: PolicyContext) => [
      secured('admin'),
      ctx.hasRole('admin'),
      // @ts-expect-error no such role
      secured('editor'),
      // @ts-expect-error no such role
      ctx.hasRole('Admin'),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('refuse what a policy can’t be asked, and rules with another row', () => {
    const never = () => [
      policy(Note, { canBecome: (ctx, before, after) => ctx.owns(after.author_id) && before.published }),
      policy(Note, { before: (ctx, action, note) => action === 'show' && ctx.owns(note.author_id) }),
      policy(Note, { before: (ctx) => (ctx.hasRole('admin') ? true : undefined) }),
      policy(Note, { canShow: () => deny('locked') }, { forbiddenResponse: 'auto' }),
      // @ts-expect-error no action: nobody can be authorized for it
      authorize('become', Note),
      // @ts-expect-error no action either
      authorize('before', Note),
      // @ts-expect-error a rule for the rows of another resource
      policy(Note, { canShow: (_ctx, user: User) => user.roles.length > 0 }),
      // @ts-expect-error no such column of what it would become
      policy(Note, { canBecome: (ctx, _before, after) => ctx.owns(after.writer_id) }),
      // @ts-expect-error a sentence is no answer
      policy(Note, { canShow: () => 'locked' }),
      // @ts-expect-error a rule that answers nothing
      policy(Note, { canShow: () => {} }),
      // @ts-expect-error before may answer undefined, other rules may not
      policy(Note, { canShow: () => (Math.random() > 1 ? true : undefined) }),
      // @ts-expect-error no such answer to a denial
      policy(Note, {}, { forbiddenResponse: '401' }),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('refuse to write what nobody decided on', () => {
    const never = async (req: Parameters<Handler>[0], note: Note) => {
      await notes.update(record(req, Note, 'update'), { title: 'x' })
      await notes.update(await authorizeRecord(req, 'update', Note, note), { title: 'x' })
      // @ts-expect-error a row that nobody decided on
      await notes.update(note, { title: 'x' })
      // @ts-expect-error decided on, but for another action
      await notes.delete(record(req, Note, 'update'))
      // @ts-expect-error another resource's row
      await notes.update(record(req, User, 'update'), { title: 'x' })
      // @ts-expect-error no such column
      await notes.update(record(req, Note, 'update'), { titel: 'x' })
      // @ts-expect-error a list that nobody narrowed
      await notes.findAll()
      // @ts-expect-error a draft that nobody decided on
      await notes.insert({ title: 'x', body: 'y', author_id: 1 })
    }
    expectTypeOf(never).toBeFunction()
  })

  it('let a resource declare only managed columns that its table has', () => {
    const input = z.strictObject({})
    const never = () => [
      resource('Leaf', { table: 'leaves', input, softDelete: true, version: true, updatedAt: true }),
      // @ts-expect-error no column deleted_at
      resource('Note', { table: 'notes', input, softDelete: true }),
      // @ts-expect-error no column version
      resource('Note', { table: 'notes', input, version: true }),
      // @ts-expect-error no column updated_at
      resource('Note', { table: 'notes', input, updatedAt: true }),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('give a trash to a resource with softDelete, and restore what canRestore was asked about', () => {
    const never = async (req: Parameters<Handler>[0], ctx: PolicyContext, leaf: Leaf) => {
      const leaves = repository(Leaf, { policy: leafPolicy })
      const plain = repository(Note, {})
      await leaves.restore(await authorizeRecord(req, 'restore', Leaf, leaf))
      await leaves.visibleTo(ctx).withTrashed().count()
      await leaves.asSystem('test').purge(1)
      // @ts-expect-error decided on, but for another action
      await leaves.restore(record(req, Leaf, 'delete'))
      // @ts-expect-error not without a decision
      await leaves.restore(leaf)
      // @ts-expect-error no rule says who may restore a note
      authorize('restore', Note)
      // @ts-expect-error no trash
      plain.withTrashed()
      // @ts-expect-error no trash
      plain.visibleTo(ctx).withTrashed()
      // @ts-expect-error no trash
      await plain.asSystem('test').purge(1)
      // @ts-expect-error nothing is written in bulk that nobody decided on
      await leaves.purge(1)
    }
    expectTypeOf(never).toBeFunction()
  })

  it('write back only columns that may be, and not past hooks', () => {
    const never = async (leaf: Leaf) => {
      const all = repository(Leaf, {}).asSystem('test')
      await all.upsertMany([leaf], { columns: ['title', 'count'] })
      await all.upsertMany([{ id: 1, title: 'x' }], { columns: ['title'] })
      // @ts-expect-error no such column
      await all.upsertMany([leaf], { columns: ['titel'] })
      // @ts-expect-error the id says which row is meant
      await all.upsertMany([leaf], { columns: ['id'] })
      // @ts-expect-error a managed column
      await all.upsertMany([leaf], { columns: ['version'] })
      // @ts-expect-error a row without the column
      await all.upsertMany([{ id: 1, title: 'x' }], { columns: ['count'] })
      // @ts-expect-error a value of another kind
      await all.upsertMany([{ id: 1, title: 7 }], { columns: ['title'] })
      const hooked = repository(Leaf, { hooks: { afterInsert: () => {} } }).asSystem('test')
      // @ts-expect-error hooks would not run
      await hooked.upsertMany([leaf], { columns: ['title'] })
      // @ts-expect-error drafts that nobody decided on
      await repository(Leaf, {}).saveMany([{ owner_id: 1, title: 'x' }])
    }
    expectTypeOf(never).toBeFunction()
  })

  it('infer what hooks and finders are given', () => {
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
      // @ts-expect-error another kind of owner
      await leaves.visibleTo(ctx).by('Ann')
      // @ts-expect-error not without a scope
      await leaves.by(7)
      // @ts-expect-error no such column
      repository(Leaf, { hooks: { afterInsert: (row) => row.titel } })
      // @ts-expect-error there is a method of that name
      repository(Leaf, { finders: { page: (list) => list.findAll() } })
    }
    expectTypeOf(never).toBeFunction()
  })

  it('infer what rules are asked with, and refuse what their rows don’t have', () => {
    const never = () => [
      policy(Note, { canShow: (ctx, note) => ctx.owns(note.author_id) && note.published }),
      // @ts-expect-error no such column
      policy(Note, { canShow: (_ctx, note) => note.publishd }),
      // @ts-expect-error a rule answers yes or no
      policy(Note, { canShow: () => 1 }),
      // @ts-expect-error rules are named can…
      policy(Note, { mayShow: () => true }),
      scope(Note, { where: (ctx, is) => is('author_id', '=', ctx.userId) }),
      // @ts-expect-error no such column
      scope(Note, { where: (ctx, is) => is('autor_id', '=', ctx.userId) }),
      // @ts-expect-error an expression, not an answer
      scope(Note, { where: () => true }),
      // @ts-expect-error another resource's policy
      repository(User, { policy: policy(Note, {}) }),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('refuse cursor pages by a column that may be null, is hidden or is none, and where no order is declared', () => {
    const never = (request: CursorRequest) => [
      repository(User, { keys: [{ column: 'disabled_at', direction: 'desc', nulls: 'last' }] }),
      // @ts-expect-error may be null
      repository(User, { cursorKey: 'disabled_at' }),
      // @ts-expect-error nullable, without a declared order of nulls
      repository(User, { keys: [{ column: 'disabled_at', direction: 'desc' }] }),
      // @ts-expect-error a cursor would show it
      repository(User, { cursorKey: 'email' }),
      // @ts-expect-error no such column
      repository(User, { cursorKey: 'called_at' }),
      // @ts-expect-error no such type
      repository(User, { cursorKey: 'created_at', cursorKeyType: 'timestampz' }),
      notes.asSystem('test').cursorPage(request),
      // @ts-expect-error no order is declared
      repository(User, {}).asSystem('test').cursorPage(request),
    ]
    expectTypeOf(never).toBeFunction()
  })

  it('tell ids that are numbers from ids that are UUIDs', () => {
    const id = '0190a2b4-0000-7000-8000-00000000000a'
    const all = tomes.asSystem('test')
    const never = async (ctx: PolicyContext, tome: Tome) => {
      expectTypeOf((await tomes.find(id))?.id).toEqualTypeOf<string | undefined>()
      expectTypeOf(await all.saveMany([])).toEqualTypeOf<string[]>()
      expectTypeOf(await notes.asSystem('test').saveMany([])).toEqualTypeOf<number[]>()
      expectTypeOf(await labelsOf(ctx, Ledge, [tome.ledge_id, null])).toEqualTypeOf<Map<string, string>>()
      expectTypeOf(await labelsOf(ctx, Note, [7])).toEqualTypeOf<Map<number, string>>()
      await all.upsertMany([{ id, title: 'x' }], { columns: ['title'] })
      // @ts-expect-error a number, where ids are UUIDs
      await tomes.find(7)
      // @ts-expect-error a UUID, where ids are numbers
      await notes.find(id)
      // @ts-expect-error a number, where ids are UUIDs
      await all.delete(7)
      // @ts-expect-error a number, where ids are UUIDs
      await ledges.asSystem('test').update(7, { name: 'x' })
      // @ts-expect-error a number, where ids are UUIDs
      await all.upsertMany([{ id: 7, title: 'x' }], { columns: ['title'] })
      // @ts-expect-error ids of another kind
      await labelsOf(ctx, Ledge, [7])
    }
    const kinds = () => [
      // @ts-expect-error where ids are texts it has to be said that they are UUIDs
      resource('Other', { table: 'tomes', input: z.strictObject({}) }),
      // @ts-expect-error numbers are no UUIDs
      resource('Other', { table: 'notes', id: 'uuid', input: z.strictObject({}) }),
    ]
    expectTypeOf([never, kinds]).toBeArray()
    expectTypeOf<IdOf<typeof Tome>>().toEqualTypeOf<string>()
    expectTypeOf<IdOf<typeof Note>>().toEqualTypeOf<number>()
  })

  it('give fields the types of their columns, and refuse a label that is hidden or none', () => {
    const never = () => [
      resource('Other', { table: 'users', input: z.strictObject({}), label: 'name' }),
      // @ts-expect-error a hidden column
      resource('Other', { table: 'users', input: z.strictObject({}), hidden: ['email'], label: 'email' }),
      // @ts-expect-error no such column
      resource('Other', { table: 'users', input: z.strictObject({}), label: 'title' }),
      // @ts-expect-error a text, where the column has a number
      resource('Other', { table: 'notes', input: z.strictObject({}), filters: { id: field.bigint() } }),
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

  it('refuse input and hidden columns that the table lacks, and hide what is hidden', () => {
    const input = z.strictObject({})
    const req = { originalUrl: '/' }
    const never = () => [
      // @ts-expect-error no such column
      resource('Other', { table: 'notes', input: z.strictObject({ titel: z.string() }) }),
      // @ts-expect-error no such column
      resource('Other', { table: 'notes', input: z.strictObject({}), hidden: ['colour'] }),
    ]
    const lists = () => [
      listQuery(req, Note).filters.published === true,
      listQuery(req, Note).sort === 'title',
      // @ts-expect-error no column to sort by
      listQuery(req, Note).sort === 'body',
      // @ts-expect-error no filter
      listQuery(req, Note).filters.title,
      // @ts-expect-error another resource's query
      notes.asSystem('test').count({ query: listQuery(req, User) }),
    ]
    const arranged = () => [
      resource('Other', {
        table: 'users',
        input,
        sort: ['name'],
        search: ['name'],
        filters: { id: z.int() },
      }),
      // @ts-expect-error a hidden column, whose order tells its values
      resource('Other', { table: 'users', input, hidden: ['email'], sort: ['email'] }),
      // @ts-expect-error a hidden column to search in
      resource('Other', { table: 'users', input, hidden: ['email'], search: ['email'] }),
      // @ts-expect-error a hidden column to filter by
      resource('Other', { table: 'users', input, hidden: ['email'], filters: { email: z.string() } }),
      // @ts-expect-error no such column
      resource('Other', { table: 'users', input, sort: ['colour'] }),
      // @ts-expect-error no text to search in
      resource('Other', { table: 'users', input, search: ['roles'] }),
      // @ts-expect-error no such column
      resource('Other', { table: 'users', input, filters: { colour: z.string() } }),
      // @ts-expect-error a text, where the column has a number
      resource('Other', { table: 'users', input, filters: { id: z.string() } }),
    ]
    const renamed = (ctx: Parameters<typeof scoped>[1]) => [
      scoped(User, ctx).select('name as called'),
      // @ts-expect-error a hidden column, under another name
      scoped(User, ctx).select('email as contact'),
    ]
    expectTypeOf([never, lists, arranged, renamed]).toBeArray()
    expectTypeOf<User>().not.toHaveProperty('password_digest')
    expectTypeOf<Authorized<'update', typeof Note>['id']>().toEqualTypeOf<number>()
  })
})
