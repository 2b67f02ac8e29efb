import { sql } from 'kysely'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pino } from 'pino'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  abilities,
  authorize,
  authorizeRecord,
  contextOf,
  type Handler,
  inScope,
  inTransaction,
  load,
  PageRequest,
  policy,
  type PolicyContext,
  policyContext,
  publicRoute,
  record,
  repository,
  routes,
  scope,
  secured,
} from 'pergola'
import { fieldRules } from 'pergola/features'
import { registryOfResources } from 'pergola/app'
import { comparable, expectParity, testDatabase } from 'pergola/testing'
import { decide } from '../src/policy/decide.ts'
import { Dossier, dossierScope } from './fixtures/dossier.ts'
import { decisionMatrix } from '../src/manifest/decision-matrix.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, User, users } from './fixtures/user.ts'
import { namedValues } from './fixtures/named-values.ts'

const base = policy(Dossier, { canShow: inScope() })
const dossierPolicy = policy(Dossier, {
  ...base.rules,
  canCreate: (ctx) => ctx.userId !== null,
  canUpdate: inScope('mine'),
  canBecome: inScope(),
  canDelete: inScope('titled', { title: 'Old' }),
  canRestore: inScope('mine'),
  canArchive: async (ctx, dossier) => dossier.open && (await base.rules.canShow(ctx, dossier)) === true,
})
const dossiers = repository(Dossier, {
  api: '/api/dossiers',
  policy: dossierPolicy,
  scope: dossierScope,
})
const ACTIONS = ['show', 'update', 'delete', 'archive' as 'show'] as const

const testDb = await testDatabase()
const { statements } = testDb
/** The route that the next request calls. */
let handler: Handler = () => {}

const dossierRoutes = routes('/dossiers', {
  'GET /run': [publicRoute(), (req, res) => handler(req, res)],
  'GET /:id': [publicRoute(), load(Dossier), authorize('show', Dossier), (_req, res) => void res.json({})],
  'GET /:id/trash': [
    publicRoute(),
    load(Dossier, { withTrashed: true }),
    authorize('restore' as never, Dossier),
    (req, res) => void res.json(record(req, Dossier, 'restore' as never)),
  ],
  'PUT /:id/trash': [
    secured(),
    load(Dossier, { withTrashed: true }),
    authorize('restore' as never, Dossier),
    async (req, res) =>
      void res.json(await dossiers.restore(record(req, Dossier, 'restore' as never) as never)),
  ],
})
const resources = [{ repository: dossiers, routes: { dossierRoutes } }, { repository: users }]
/** The denials in the log. */
const events: { cause: string; err?: { message: string } }[] = []
const log = pino({}, { write: (line) => void events.push(...denialsIn(line)) })
const denialsIn = (line: string) => {
  const entry = JSON.parse(line) as { event?: string; cause: string }
  return entry.event === 'denied' ? [entry] : []
}
const parts = { database: testDb, resources, log }
const app = await testApp(parts)
const [alice, bob] = await app.within(() =>
  Promise.all([makeUser({ name: 'Alice' }), makeUser({ name: 'Bob' })]),
)
const [asAlice, asBob] = [await app.signInAs(alice.email), await app.signInAs(bob.email)]

beforeAll(async () => {
  await sql`create table dossiers (id bigint generated always as identity primary key, title text not null,
    team_id bigint not null, author_id bigint, open boolean not null default false,
    secret boolean not null default false, deleted_at timestamptz)`.execute(testDb.db)
  await sql`create table dossier_teams (team_id bigint, user_id bigint, primary key (team_id, user_id))`.execute(
    testDb.db,
  )
  await testDb.db.insertInto('dossier_teams').values({ team_id: 1, user_id: bob.id }).execute()
})
beforeEach(() => {
  events.length = 0
})

type AnyIs = Parameters<typeof dossierScope.where>[1]
type Values = Partial<{ title: string; team_id: number; author_id: number; open: boolean; secret: boolean }>
const make = (values: Values = {}) =>
  app.within(() =>
    dossiers.asSystem('test').insert({ title: 'Old', team_id: 2, author_id: alice.id, ...values }),
  )

/** Runs a handler with a client, and returns the value that it passes to `res.json`. */
async function run<Result>(
  client: { get(path: string): Promise<{ status: number; json(): unknown }> },
  work: (req: Parameters<Handler>[0]) => Promise<Result>,
): Promise<Result> {
  handler = async (req, res) => void res.json({ result: await work(req) })
  const response = await client.get('/dossiers/run')
  expect(response.status).toBe(200)
  return (response.json() as { result: Result }).result
}

/** Returns the result of `work` and the statements that it sends. */
async function counted<Result>(work: () => Promise<Result>): Promise<[Result, string[]]> {
  const before = statements.length
  const result = await work()
  return [result, statements.slice(before)]
}

const reading = (all: readonly string[]) => all.filter((text) => text.includes('"dossiers"'))

describe('inScope', () => {
  it('decides like the lists, for every user and row', async () => {
    await make({ open: true })
    await make()
    await make({ team_id: 1 })
    await make({ open: true, secret: true })
    await expectParity(app, Dossier)
  })

  it.each([
    ['show', asBob, { team_id: 1 }, true],
    ['show', asBob, {}, false],
    ['update', asAlice, {}, true],
    ['update', asBob, { team_id: 1 }, false],
    ['update', asAlice, { secret: true }, false],
    ['delete', asBob, { open: true }, true],
    ['delete', asBob, { open: true, title: 'New' }, false],
    ['archive', asBob, { open: true }, true],
    ['archive', asBob, { team_id: 1 }, false],
  ])('decides on %s', async (action, client, values, expected) => {
    const { id } = await make(values)
    const allowed = await run(client, async (req) => {
      const row = await dossiers.asSystem('test').find(id)
      return (await abilities(req, Dossier, [row!], ACTIONS))(row!, action as never)
    })
    expect(allowed).toBe(expected)
  })

  it('answers with a statement after the one that loads the record', async () => {
    const { id } = await make({ open: true })
    const [response, sent] = await counted(() => app.guest.get(`/api/dossiers/${id}`))
    expect(response.json()).toEqual({
      id,
      title: 'Old',
      team_id: 2,
      author_id: alice.id,
      open: true,
      deleted_at: null,
    })
    expect(sent.map((text) => text.includes('/* scope */'))).toEqual([false, true])
  })

  it('returns the same response to a denied and to a missing record, with the same statements', async () => {
    const { id } = await make()
    for (const base of ['/dossiers', '/api/dossiers']) {
      const [denied, sentDenied] = await counted(() => app.guest.get(`${base}/${id}`))
      const [missing, sentMissing] = await counted(() => app.guest.get(`${base}/999999`))
      expect(denied.status).toBe(404)
      expect(comparable(denied)).toEqual(comparable(missing))
      expect(sentDenied).toEqual(sentMissing)
      expect(sentDenied).toHaveLength(2)
    }
  })

  it('selects no answers for a policy without it', async () => {
    const plain = await testApp({ ...parts, policies: [[Dossier, policy(Dossier, { canShow: () => true })]] })
    const { id } = await make()
    const [, sent] = await counted(() => plain.guest.get(`/api/dossiers/${id}`))
    expect(sent).toEqual([
      expect.stringMatching(
        /^select [^$()]*, \S+ as "__version" from "dossiers" where "dossiers"\."deleted_at" is null and "id" in \(\$1::bigint\)$/,
      ),
    ])
  })

  it('decides on the rows of a list with one statement for each variant', async () => {
    await make({ open: true })
    const result = await run(asAlice, async (req) => {
      const { content } = await dossiers.visibleTo(await policyContext(req)).page(new PageRequest(1, 100))
      const before = statements.length
      const may = await abilities(req, Dossier, content, ACTIONS)
      const update = content.filter((row) => may(row, 'update'))
      return {
        columns: Object.keys(content[0]!),
        sent: statements.slice(before).length,
        isRight: update.length > 0 && update.every((row) => row.author_id === alice.id),
        shown: content.every((row) => may(row, 'show')),
      }
    })
    expect(result).toEqual({
      columns: ['id', 'title', 'team_id', 'open', 'author_id', 'deleted_at'],
      sent: 3,
      isRight: true,
      shown: true,
    })
  })

  it('decides on rows without the fields that the caller doesn’t see', async () => {
    const fields = fieldRules(Dossier, { team_id: { see: () => false } })
    const masked = await testApp({
      ...parts,
      policies: [[Dossier, policy(Dossier, { canShow: inScope(), canUpdate: inScope('mine') }, { fields })]],
    })
    const { id } = await make({ team_id: 1, author_id: bob.id })
    const client = await masked.signInAs(bob.email)
    const [response, sent] = await counted(() => client.get(`/api/dossiers/${id}`))
    expect(response.json()).not.toHaveProperty('team_id')
    expect([response.status, reading(sent).length]).toEqual([200, 2])
    const result = await run(client, async (req) => {
      const visible = dossiers.visibleTo(await policyContext(req))
      const [row] = await visible.findAll({ where: (is) => is('id', '=', id) })
      const before = statements.length
      const may = await abilities(req, Dossier, [row!], ['show', 'update'])
      return [
        may(row!, 'show'),
        may(row!, 'update'),
        Object.hasOwn(row!, 'team_id'),
        statements.length - before,
      ]
    })
    expect(result).toEqual([true, true, false, 2])
  })

  it('appears in the matrix of decisions', async () => {
    const { id } = await make()
    const rows = (await run(app.guest, (req) => decisionMatrix(req, dossiers, String(id)))) ?? []
    const answers = rows.map(({ actor, answers }) => [
      actor,
      ...answers.filter(({ allowed }) => allowed).map(({ action }) => action),
    ])
    expect(answers).toEqual([
      ['a guest'],
      ['a signed-in user', 'create'],
      ['its owner', 'create', 'delete', 'restore', 'show', 'update'],
    ])
  })

  it('sends one statement for each variant about rows of asSystem', async () => {
    const [, sent] = await counted(() =>
      run(asBob, async (req) => {
        const rows = await dossiers.asSystem('test').findAll()
        await abilities(req, Dossier, rows, ['show', 'update'])
        await abilities(req, Dossier, rows, ['show', 'update'])
        return null
      }),
    )
    expect(reading(sent)).toHaveLength(3)
  })

  it('asks once for rules with equal variants', async () => {
    const titled = () => inScope('titled', { title: 'Old' })
    const rules = policy(Dossier, { canShow: titled(), canUpdate: titled(), canDelete: inScope('mine') })
    const other = await testApp({ ...parts, policies: [[Dossier, rules]] })
    const client = await other.signInAs(alice.email)
    const sent = await run(client, async (req) => {
      const rows = await dossiers.asSystem('test').findAll()
      const before = statements.length
      await abilities(req, Dossier, rows, ['show', 'update', 'delete'])
      return statements.length - before
    })
    expect(sent).toBe(2)
  })

  it('decides again after a write, and in another transaction', async () => {
    const { id } = await make({ team_id: 1 })
    const other = await make()
    const answers = await run(asBob, async (req) => {
      const ctx = await policyContext(req)
      const row = (await dossiers.visibleTo(ctx).findAll({ where: (is) => is('id', '=', id) }))[0]!
      const mayShow = async () => (await abilities(req, Dossier, [row], ['show']))(row, 'show')
      const sentFor = async (ask: () => Promise<boolean>) => {
        const before = statements.length
        return [await ask(), reading(statements.slice(before)).length]
      }
      const first = await sentFor(mayShow)
      await dossiers.asSystem('test').update(other.id, { title: 'Else' })
      const second = await sentFor(mayShow)
      const third = await inTransaction(async () => {
        const before = await sentFor(mayShow)
        await dossiers.asSystem('test').update(id, { secret: true })
        return [before, await mayShow()]
      })
      return [first, second, third]
    })
    expect(answers).toEqual([
      [true, 1],
      [true, 1],
      [[true, 1], false],
    ])
  })

  it('decides on an outdated row by the stored row', async () => {
    const { id } = await make({ open: true })
    const answers = await run(asBob, async (req) => {
      const outdated = (await dossiers.asSystem('test').find(id))!
      await testDb.db.updateTable('dossiers').set({ open: false }).where('id', '=', id).execute()
      const current = (await dossiers.asSystem('test').find(id))!
      const may = await abilities(req, Dossier, [outdated, current], ['show'])
      return [may(outdated, 'show'), may(current, 'show')]
    })
    expect(answers).toEqual([false, false])
  })

  it('takes hidden columns from the stored row, for a row as it would become', async () => {
    const [{ id }, { id: hidden }] = [await make({ open: true }), await make({ open: true, secret: true })]
    const causes = await app.within(async () => {
      const ask = async (row: object | null) => {
        const question = { action: 'show', resource: Dossier, record: { ...row, title: 'Changed' } }
        return (await decide(app.registry.policies, app.contextFor(null), question)).cause
      }
      return [
        await ask(await dossiers.asSystem('test').find(id)),
        await ask(await dossiers.asSystem('test').find(hidden)),
      ]
    })
    expect(causes).toEqual(['allowed', 'denied'])
  })

  it('keeps the answers of the rows of a list apart', async () => {
    const [mine, theirs] = [await make({ open: true }), await make({ open: true, author_id: bob.id })]
    const own = policy(Dossier, { canShow: inScope('mine') }).rules.canShow
    const combined = policy(Dossier, { canShow: inScope(), canUpdate: (ctx, row) => own(ctx, row) })
    const other = await testApp({ ...parts, policies: [[Dossier, combined]] })
    const client = await other.signInAs(alice.email)
    const updatable = await run(client, async (req) => {
      const where = (is: AnyIs) => is('id', 'in', [mine.id, theirs.id])
      const rows = await dossiers.visibleTo(await policyContext(req)).findAll({ where })
      const allowed: number[] = []
      for (const row of rows)
        if ((await abilities(req, Dossier, [row], ['update']))(row, 'update')) allowed.push(row.id)
      return allowed
    })
    expect(updatable).toEqual([mine.id])
  })

  it('decides on an update as the row would become', async () => {
    const { id } = await make({ team_id: 1 })
    const save = (changes: object) =>
      run(asAlice, async (req) => {
        const row = await authorizeRecord(req, 'update', Dossier, await dossiers.asSystem('test').find(id))
        return dossiers.update(row, ...namedValues(changes)).then(
          (written) => written.title,
          (error: { errors?: unknown; message: string }) => error.errors ?? error.message,
        )
      })
    expect(await save({ title: 'Written' })).toBe('Written')
    expect(await save({ author_id: bob.id })).toMatchObject([{ field: 'author_id' }])
    await testDb.db.insertInto('dossier_teams').values({ team_id: 1, user_id: alice.id }).execute()
    expect(await save({ author_id: bob.id, title: 'Given away' })).toBe('Given away')
    await testDb.db.deleteFrom('dossier_teams').where('user_id', '=', alice.id).execute()
  })

  it('decides on rows in the trash', async () => {
    const { id } = await make()
    await app.within(() => dossiers.asSystem('test').delete(id))
    expect((await app.guest.get(`/dossiers/${id}/trash`)).status).toBe(404)
    const [shown, sent] = await counted(() => asAlice.get(`/dossiers/${id}/trash`))
    expect([shown.status, reading(sent).length]).toEqual([200, 2])
    expect((await asAlice.post(`/dossiers/${id}/trash`, { form: { _method: 'PUT' } })).status).toBe(200)
    expect((await asAlice.get(`/dossiers/${id}/trash`)).json()).toMatchObject({ deleted_at: null })
  })

  it('stores no row in the request', async () => {
    const refs = await app.within(async () => {
      const ctx = app.contextFor(bob)
      const found: WeakRef<object>[] = []
      for (const row of await dossiers.asSystem('test').findAll()) {
        const { policies } = app.registry
        await decide(policies, ctx, { action: 'show', resource: Dossier, record: row })
        found.push(new WeakRef(row))
      }
      return { ctx, found }
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    setFlagsFromString('--expose-gc')
    ;(runInNewContext('gc') as () => void)()
    expect(refs.found.filter((ref) => ref.deref() !== undefined)).toEqual([])
    expect(refs.ctx.userId).toBe(bob.id)
  })
})

describe('inScope fails closed', () => {
  const failing = async (declared: typeof dossierScope | null) => {
    const scopes = declared === null ? new Map() : new Map([[Dossier, declared]])
    const other = await testApp({
      ...parts,
      resources: [
        {
          repository: repository(Dossier, { api: '/api/dossiers', policy: dossierPolicy }),
          routes: { dossierRoutes },
        },
        { repository: users },
      ],
      scopes: [...scopes] as never,
    })
    const { id } = await make({ open: true })
    const denied = await counted(() => other.guest.get(`/api/dossiers/${id}`))
    const cause = events.at(-1)
    const missing = await counted(() => other.guest.get('/api/dossiers/999999'))
    expect(denied[0].status).toBe(404)
    expect(comparable(denied[0])).toEqual(comparable(missing[0]))
    return {
      cause: cause?.cause,
      error: cause?.err,
      denied: denied[1],
      missing: missing[1],
    }
  }
  const scopeWhere = (where: (ctx: PolicyContext, is: never) => unknown) =>
    scope(Dossier, { where: where as typeof dossierScope.where, variants: dossierScope.variants })

  it('without a scope', async () => {
    const { cause, denied, missing } = await failing(null)
    expect([cause, denied]).toEqual(['denied', missing])
  })

  it('if `where` is async', async () => {
    const { cause, denied, missing } = await failing(scopeWhere(() => Promise.resolve(true)))
    expect([cause, denied]).toEqual(['denied', missing])
  })

  it('if `where` throws', async () => {
    const { cause, error, denied, missing } = await failing(
      scopeWhere(() => {
        throw new Error('The scope broke.')
      }),
    )
    expect([cause, error?.message, denied]).toEqual(['error', 'The scope broke.', missing])
  })

  it('if the SQL of the scope is wrong', async () => {
    const { cause, error } = await failing(scopeWhere(() => sql<boolean>`no_such_column = 1`))
    expect([cause, error?.message]).toEqual(['error', expect.stringContaining('no_such_column')])
  })

  it('only for the rules whose variant is wrong', async () => {
    const broken = policy(Dossier, { canShow: inScope(), canDelete: inScope('broken' as 'mine') })
    const variants = { broken: () => sql<boolean>`1 / (id - id) = 1` }
    const other = await testApp({
      ...parts,
      policies: [[Dossier, broken]],
      scopes: [[Dossier, scope(Dossier, { where: dossierScope.where, variants })]],
    })
    const { id } = await make({ open: true })
    expect((await other.guest.get(`/api/dossiers/${id}`)).status).toBe(200)
    const { status } = await (await other.signInAs(bob.email)).send('DELETE', `/api/dossiers/${id}`)
    expect([status, events.at(-1)?.cause]).toEqual([404, 'error'])
  })

  it('if the SQL of the scope fails for a row', async () => {
    const { cause, error } = await failing(scopeWhere(() => sql<boolean>`1 / (id - id) = 1`))
    expect([cause, error?.message]).toEqual(['error', 'division by zero'])
  })

  it('for an unknown variant', async () => {
    const other = policy(Dossier, { canShow: inScope('forgotten' as 'mine') })
    const { id } = await make({ open: true })
    const failed = await testApp({ ...parts, policies: [[Dossier, other]] })
    expect((await failed.guest.get(`/api/dossiers/${id}`)).status).toBe(404)
    expect(events.at(-1)?.cause).toBe('denied')
  })

  it.each([
    ['a database', { registry: registryOfResources(resources) }],
    ['a registry', { db: () => testDb.db }],
  ])('without %s, with an error that names the remedy', async (_what, options) => {
    const ctx = contextOf(null, options)
    const question = { action: 'show', resource: Dossier, record: { id: 1, open: true } }
    expect(await decide(new Map([[Dossier, dossierPolicy]]), ctx, question)).toMatchObject({
      allowed: false,
      cause: 'error',
      error: { message: expect.stringContaining('contextOf(session, { db: database, registry:') as string },
    })
  })

  it('for SQL in place of a value', async () => {
    const { policies } = app.registry
    const question = { action: 'show', resource: Dossier, record: { open: sql`true` } }
    const decision = await app.within(async () => decide(policies, app.contextFor(null), question))
    expect(decision).toMatchObject({
      cause: 'error',
      error: { message: expect.stringContaining('SQL') as string },
    })
  })
})

describe('policy', () => {
  it('refuses inScope as `before` and as `canCreate`, and the rule of another resource', () => {
    expect(() => policy(Dossier, { before: inScope() as never })).toThrow(
      "Dossier: inScope() can't be before.",
    )
    expect(() => policy(Dossier, { canCreate: inScope() as never })).toThrow(
      "Dossier: inScope() can't be canCreate.",
    )
    expect(() => policy(User, base.rules as never)).toThrow('canShow asks the scope of Dossier')
  })
})
