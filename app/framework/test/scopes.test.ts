import { type Generated, sql } from 'kysely'
import { pino } from 'pino'
import { beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  contextOf,
  database,
  type Handler,
  hasVisible,
  load,
  policy,
  type PolicyContext,
  policyContext,
  publicRoute,
  repository,
  resource,
  routes,
  scope,
  scoped,
  secured,
} from 'pergola'
import { registryOfResources } from 'pergola/app'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { testDatabase } from 'pergola/testing'
import { makeUser, users } from './fixtures/user.ts'

interface RemarkTable {
  id: Generated<number>
  note_id: number
  answers: number | null
  writer_id: number
  text: string
}

declare module 'pergola' {
  interface Tables {
    remarks: RemarkTable
  }
  interface Scopes {
    Remark: typeof remarkScope
  }
}

// A child resource, which is visible if its note is visible, with variants.
const Remark = resource('Remark', {
  table: 'remarks',
  input: z.strictObject({ text: z.string() }),
  columns: ['answers', 'note_id', 'writer_id'],
})
const remarkScope = scope(Remark, {
  where: (ctx) => hasVisible(ctx, Note, 'remarks.note_id'),
  variants: {
    mine: (ctx, is) => is('writer_id', '=', ctx.userId),
    below: (_ctx, is, { note }: { note: number }) => is('note_id', '=', note),
    everything: (_ctx, is) => is.lit(true),
    forgotten: () => undefined as never,
  },
})
const remarks = repository(Remark, {
  api: '/api/remarks',
  policy: policy(Remark, { canShow: () => true }),
  scope: remarkScope,
})

const textsOf = (rows: readonly { text: string }[]) => rows.map(({ text }) => text).toSorted()
const list =
  (read: (ctx: Parameters<typeof scoped>[1]) => Promise<readonly { text: string }[]>): Handler =>
  async (req, res) =>
    void res.json(textsOf(await read(await policyContext(req))))
const remarkRoutes = routes('/remarks', {
  'GET /mine': [publicRoute(), list((ctx) => scoped(Remark, ctx, 'mine').execute())],
  'GET /mine/listed': [publicRoute(), list((ctx) => remarks.visibleTo(ctx, 'mine').findAll())],
  'GET /everything': [publicRoute(), list((ctx) => scoped(Remark, ctx, 'everything').execute())],
  'GET /forgotten': [publicRoute(), list((ctx) => scoped(Remark, ctx, 'forgotten').execute())],
  'GET /unknown/:name': [
    publicRoute(),
    async (req, res) => {
      const name = req.params['name'] as 'mine'
      res.json(textsOf(await scoped(Remark, await policyContext(req), name).execute()))
    },
  ],
  'GET /answers/:remark/:id': [
    publicRoute(),
    load(Remark, { below: { answers: 'remark' } }),
    authorize('show', Remark),
    (_req, res) => void res.end(),
  ],
  'GET /below/:post': [
    secured(),
    async (req, res) => {
      const ctx = await policyContext(req)
      const note = Number(req.params['post'])
      const visible = remarks.visibleTo(ctx, 'below', { note })
      res.json([textsOf(await visible.findAll()), await visible.count()])
    },
  ],
  'GET /found/:id': [
    publicRoute(),
    async (req, res) => {
      const ctx = await policyContext(req)
      const id = req.params['id'] as unknown as number
      const [all, mine] = [remarks.visibleTo(ctx), remarks.visibleTo(ctx, 'mine')]
      res.json([(await all.find(id))?.text ?? null, (await mine.find(id))?.text ?? null])
    },
  ],
})

const testDb = await testDatabase()
const resources = [
  { repository: remarks, routes: { remarkRoutes } },
  { repository: notes },
  { repository: users },
]
const app = await testApp({ database: testDb, resources })
const [alice, bob] = await app.within(() => Promise.all([makeUser(), makeUser()]))
const [published, draft] = await app.within(() =>
  Promise.all([makeNote({ author_id: alice.id }), makeNote({ author_id: alice.id, published: false })]),
)
const [asAlice, asBob] = [await app.signInAs(alice.email), await app.signInAs(bob.email)]

beforeAll(async () => {
  await sql`create table remarks (id bigint generated always as identity primary key,
    note_id bigint not null references notes, answers bigint references remarks,
    writer_id bigint not null, text text not null)`.execute(testDb.db)
  await app.within(async () => {
    const remark = (note: { id: number }, writer: { id: number }, text: string) =>
      remarks.asSystem('test').insert({ note_id: note.id, writer_id: writer.id, answers: null, text })
    await remark(published, alice, 'open, by Alice')
    await remark(published, bob, 'open, by Bob')
    await remark(draft, alice, 'hidden, by Alice')
    await remark(draft, bob, 'hidden, by Bob')
  })
})

describe('a child scope', () => {
  it('lists the children of parents that the caller sees', async () => {
    const totals = await Promise.all(
      [app.guest, asBob, asAlice].map(async (client) => (await client.get('/api/remarks')).json()),
    )
    expect(totals).toMatchObject([{ total_elements: 2 }, { total_elements: 2 }, { total_elements: 4 }])
  })

  it('lists nothing if the parent has no scope', async () => {
    const without = await testApp({
      database: testDb,
      resources: [{ repository: remarks }, { repository: repository(Note) }, { repository: users }],
    })
    expect((await without.guest.get('/api/remarks')).json()).toMatchObject({ content: [], total_elements: 0 })
  })

  it('supports a table that refers to itself', async () => {
    const ctx = contextOf(null, {
      registry: {
        policies: new Map(),
        scopes: new Map([[Remark, scope(Remark, { where: (_ctx, is) => is('text', '=', 'open, by Bob') })]]),
      },
    })
    await app.within(async () => {
      const [bobs] = await scoped(Remark, ctx).execute()
      const answer = { note_id: published.id, writer_id: alice.id, answers: bobs?.id ?? 0, text: 'an answer' }
      const { id } = await remarks.asSystem('test').insert(answer)
      const answers = scope(Remark, { where: (asking) => hasVisible(asking, Remark, 'remarks.answers') })
      expect(textsOf(await answers.list(ctx, testDb.db))).toEqual(['an answer'])
      await remarks.asSystem('test').delete(id)
    })
  })
})

describe('load below a nullable parent', () => {
  it('doesn’t treat a malformed id as a missing parent', async () => {
    const [remark] = await app.within(() => remarks.asSystem('test').findAll())
    for (const parent of ['null', 'abc', '0'])
      expect((await app.guest.get(`/remarks/answers/${parent}/${remark?.id}`)).status).toBe(404)
  })
})

describe('a variant of a scope', () => {
  it('narrows the list, for scoped and for visibleTo', async () => {
    for (const path of ['/remarks/mine', '/remarks/mine/listed']) {
      expect((await asAlice.get(path)).json()).toEqual(['hidden, by Alice', 'open, by Alice'])
      expect((await app.guest.get(path)).json()).toEqual([])
    }
  })

  it('narrows the rows that find returns, as the scope does', async () => {
    const all = await app.within(() => remarks.asSystem('test').findAll())
    const idOf = (text: string) => all.find((remark) => remark.text === text)?.id
    const found = async (client: typeof asBob, id: unknown) =>
      (await client.get(`/remarks/found/${String(id)}`)).json()
    expect(await found(asBob, idOf('open, by Bob'))).toEqual(['open, by Bob', 'open, by Bob'])
    expect(await found(asBob, idOf('open, by Alice'))).toEqual(['open, by Alice', null])
    expect(await found(asBob, idOf('hidden, by Bob'))).toEqual([null, null])
    for (const id of [0, 'x', '1%20or%201=1', 999_999]) expect(await found(asAlice, id)).toEqual([null, null])
  })

  it('never shows more than the scope', async () => {
    expect((await asBob.get('/remarks/mine')).json()).toEqual(['open, by Bob'])
    expect((await asBob.get('/remarks/everything')).json()).toEqual(['open, by Alice', 'open, by Bob'])
  })

  it('accepts parameters, which can’t widen the scope', async () => {
    const below = async (note: { id: number }) => (await asBob.get(`/remarks/below/${note.id}`)).json()
    expect(await below(published)).toEqual([['open, by Alice', 'open, by Bob'], 2])
    expect(await below(draft)).toEqual([[], 0])
  })

  it('shows nothing if it doesn’t exist or doesn’t return an expression', async () => {
    for (const name of ['theirs', 'constructor', '__proto__'])
      expect((await asAlice.get(`/remarks/unknown/${name}`)).json()).toEqual([])
    expect((await asAlice.get('/remarks/forgotten')).json()).toEqual([])
  })
})

describe('a scope and a variant in raw SQL with OR', () => {
  const loose = scope(Remark, {
    where: () => sql<boolean>`text like 'open%' or text like 'hidden%'`,
    variants: { mine: (ctx) => sql<boolean>`writer_id = ${ctx.userId} or false` },
  })
  const registry = { policies: new Map(), scopes: new Map([[Remark, loose]]) }
  const ctx = contextOf({ id: 's', userId: alice.id, name: 'Alice', roles: [] }, { registry })
  const [all, mine] = [remarks.visibleTo(ctx), remarks.visibleTo(ctx, 'mine')]
  const alices = ['hidden, by Alice', 'open, by Alice']

  it('narrow each other', () =>
    app.within(async () => {
      expect(textsOf(await mine.findAll())).toEqual(alices)
      expect(await mine.count()).toBe(2)
      expect(textsOf(await scoped(Remark, ctx, 'mine').execute())).toEqual(alices)
    }))

  it('are narrowed by the conditions of the list', () =>
    app.within(async () => {
      const [bobs] = await all.findAll({ where: (is) => is('text', '=', 'open, by Bob') })
      expect(bobs?.text).toBe('open, by Bob')
      expect((await all.find(bobs!.id))?.id).toBe(bobs!.id)
      expect(await mine.find(bobs!.id)).toBeNull()
      expect(await mine.findAll({ where: (is) => is('text', '=', 'open, by Bob') })).toEqual([])
    }))
})

describe('a missing scope', () => {
  const lines: string[] = []
  const bare = [{ repository: repository(Note, { api: '/api/notes', policy: policy(Note, {}) }) }]
  const said = () => lines.filter((line) => line.includes('Note has no scope'))
  const appIn = (profile: 'development' | 'test') =>
    testApp({
      database: testDb,
      resources: bare,
      log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
      development: profile === 'development',
    })

  beforeEach(() => {
    lines.length = 0
  })

  it('is an empty list, with one warning in development', async () => {
    const development = await appIn('development')
    for (let count = 0; count < 3; count++)
      expect((await development.guest.get('/api/notes')).json()).toMatchObject({
        content: [],
        total_elements: 0,
      })
    expect(said()).toHaveLength(1)
    expect(said()[0]).toContain('scope(Note, { where })')
  })

  it('causes no warning in other profiles', async () => {
    await (await appIn('test')).guest.get('/api/notes')
    expect(said()).toEqual([])
  })
})

describe('a scope that includes itself', () => {
  it('throws an error with the name of the resource', async () => {
    const circular = scope(Remark, { where: (ctx) => hasVisible(ctx, Remark, 'remarks.answers') })
    const turning = await testApp({ database: testDb, resources, scopes: [[Remark, circular]] })
    const ctx = turning.contextFor(null)
    await turning.within(async () => {
      expect(() => scoped(Remark, ctx)).toThrow('The scope of Remark includes itself')
      // The error leaves no state behind.
      expect(() => scoped(Remark, ctx)).toThrow('The scope of Remark includes itself')
    })
  })
})

describe('a scope that throws, and one whose query fails', () => {
  it('causes a 500 instead of a list', async () => {
    const thrown = scope(Remark, {
      where: () => {
        throw new Error('The scope broke.')
      },
    })
    const failing = scope(Remark, { where: (_ctx, is) => is('no_such_column' as 'text', '=', 'x') })
    const status = async (broken: typeof thrown, path: string) =>
      (await (await testApp({ database: testDb, resources, scopes: [[Remark, broken]] })).guest.get(path))
        .status
    expect([await status(thrown, '/remarks/mine'), await status(thrown, '/api/remarks')]).toEqual([500, 500])
    expect([await status(failing, '/remarks/mine'), await status(failing, '/api/remarks')]).toEqual([
      500, 500,
    ])
  })
})

describe('hidden rows', () => {
  it('don’t change a byte of a list, in any number', async () => {
    const ask = async () => (await app.guest.get('/api/remarks?page=1&size=1')).text
    const before = await ask()
    await sql`insert into remarks (note_id, writer_id, text)
      select ${draft.id}, ${bob.id}, 'hidden' from generate_series(1, 1000)`.execute(testDb.db)
    expect(await ask()).toBe(before)
    await sql`delete from remarks where text = 'hidden'`.execute(testDb.db)
  })
})

describe('a record that the scope lists and canShow denies', () => {
  it('is a 404', async () => {
    const denying = policy(Remark, { canShow: () => false })
    const torn = await testApp({ database: testDb, resources, policies: [[Remark, denying]] })
    const { content } = (await torn.guest.get('/api/remarks')).json() as { content: { id: number }[] }
    expect(content.length).toBeGreaterThan(0)
    expect((await torn.guest.get(`/api/remarks/${content[0]?.id}`)).status).toBe(404)
  })
})

describe('a list in a task that acts for a user', () => {
  it('shows the rows that the user sees', async () => {
    const session = { id: 'task', userId: bob.id, name: 'Bob', roles: [] }
    const acting = contextOf(session, { db: database, registry: registryOfResources(resources) })
    expect(await app.within(() => remarks.visibleTo(acting).count())).toBe(2)
    expect(await app.within(() => notes.visibleTo(acting).count())).toBe(1)
  })
})

describe('the types of scopes', () => {
  it('refuse a variant that the scope lacks, and parameters that it doesn’t take', () => {
    const never = (ctx: PolicyContext) => [
      scoped(Remark, ctx),
      scoped(Remark, ctx, 'mine'),
      remarks.visibleTo(ctx, 'below', { note: 7 }),
      // @ts-expect-error an unknown variant
      scoped(Remark, ctx, 'theirs'),
      // @ts-expect-error a variant without parameters
      scoped(Remark, ctx, 'mine', { note: 7 }),
      // @ts-expect-error a missing parameter
      remarks.visibleTo(ctx, 'below'),
      // @ts-expect-error a parameter of another type
      remarks.visibleTo(ctx, 'below', { note: '7' }),
      // @ts-expect-error a resource without variants
      scoped(Note, ctx, 'mine'),
      // @ts-expect-error an unknown column
      hasVisible(ctx, Note, 'notes.remark_id'),
    ]
    expectTypeOf(never).toBeFunction()
  })
})
