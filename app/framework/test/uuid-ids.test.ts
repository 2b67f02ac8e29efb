import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import {
  abilities,
  authorize,
  authorizeRecord,
  CursorRequest,
  type CursorPage,
  type Json,
  load,
  type Page,
  PageRequest,
  publicRoute,
  record,
  routes,
  secured,
} from 'pergola'
import { Tome, tomes, createLedges, Ledge, ledges } from './fixtures/ledge.ts'
import { expectParity, type Makers, probe, testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, users } from './fixtures/user.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NOBODYS = '00000000-0000-4000-8000-000000000000'

const tomeRoutes = routes('/tomes', {
  'GET /:id': [
    publicRoute(),
    load(Tome),
    authorize('show', Tome),
    async (req, res) => {
      const tome = record(req, Tome, 'show')
      const may = await abilities(req, Tome, [tome], ['update'])
      res.json({ ...tome, may: may(tome, 'update') })
    },
  ],
  'GET /:ledge/:id': [
    publicRoute(),
    load(Tome, { below: { ledge_id: 'ledge' } }),
    authorize('show', Tome),
    (req, res) => void res.json(record(req, Tome, 'show')),
  ],
  // authorizeRecord loads the stored row of a copy.
  'POST /:id/title': [
    secured(),
    load(Tome),
    authorize('update', Tome),
    async (req, res) => {
      const copy = { ...record(req, Tome, 'update') }
      res.json(
        await tomes.update(
          await authorizeRecord(req, 'update', Tome, copy),
          { title: 'Retitled' },
          { set: ['title'] },
        ),
      )
    },
  ],
})

const database = await testDatabase()
await createLedges(database.db)
const resources = [
  { repository: tomes, routes: { tomeRoutes } },
  { repository: ledges },
  { repository: users },
]
const app = await testApp({ database, resources })
const [ann, bea] = await app.within(() => Promise.all([makeUser(), makeUser()]))
const client = await app.signInAs(ann.email)

const makeLedge = (owner_id = ann.id) =>
  app.within(() => ledges.asSystem('test').insert({ name: 'Ledge', owner_id }))
let made = 0
const makeTome = (ledge_id: string, title = `Tome ${++made}`) =>
  app.within(() => tomes.asSystem('test').insert({ title, slug: `tome-${++made}`, ledge_id }))
const ledge = await makeLedge()

describe('an id that is a UUID', () => {
  it('identifies a record in URLs and in JSON, from its creation to its deletion', async () => {
    const created = await client.post('/api/tomes', {
      json: { title: 'Hops', slug: 'hops', ledge_id: ledge.id, details: [1, 'two'] },
    })
    expect(created.status).toBe(201)
    const tome = created.json() as Tome
    expect(tome).toMatchObject({ id: expect.stringMatching(UUID) as string, details: [1, 'two'] })
    const path = `/api/tomes/${tome.id}`
    expect(created.headers.get('location')).toBe(path)
    expect((await client.get(path)).json()).toEqual(tome)
    expect((await client.get(`/tomes/${tome.id}`)).json()).toEqual({ ...tome, may: true })
    const changed = await client.put(path, { json: { ...tome, details: { pages: 7 } } })
    expect(changed.json()).toEqual({ ...tome, details: { pages: 7 } })
    expect((await client.post(`/tomes/${tome.id}/title`, { form: {} })).json()).toMatchObject({
      title: 'Retitled',
    })
    expect((await client.delete(path)).status).toBe(204)
    expect((await client.get(path)).status).toBe(404)
  })

  it.each([
    '7',
    'abc',
    NOBODYS,
    NOBODYS.toUpperCase(),
    `${NOBODYS}0`,
    `{${NOBODYS}}`,
    '%00',
    NOBODYS.replaceAll('-', ''),
  ])('can’t be %s, which returns 404', async (id) => {
    const answers = await Promise.all(
      [`/api/tomes/${id}`, `/tomes/${id}`, `/tomes/${id}/${id}`].map((path) => client.get(path)),
    )
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(await app.within(() => tomes.asSystem('test').find(id))).toBeNull()
  })

  it('in capitals returns 404', async () => {
    const { id } = await app.within(() =>
      tomes.asSystem('test').insert({
        id: 'aaaaaaaa-0000-4000-8000-000000000001',
        title: 'Capital',
        slug: 'capital',
        ledge_id: ledge.id,
      }),
    )
    expect((await client.get(`/api/tomes/${id}`)).status).toBe(200)
    expect((await client.get(`/api/tomes/${id.toUpperCase()}`)).status).toBe(404)
  })

  it('in capitals is found by the application, and resumes a walk', async () => {
    const { id } = await makeTome(ledge.id)
    const all = tomes.asSystem('test')
    const visible = tomes.visibleTo(app.contextFor(ann))
    for (const list of [all, visible])
      expect(await app.within(() => list.find(id.toUpperCase()))).toMatchObject({ id })
    const position = JSON.stringify(['tomes', id.toUpperCase()])
    expect(all.findInBatches(10, { position }).position).toBe(JSON.stringify(['tomes', id]))
  })

  it('identifies a record only below its own parent', async () => {
    const [tome, other] = [await makeTome(ledge.id), await makeLedge()]
    expect((await client.get(`/tomes/${ledge.id}/${tome.id}`)).json()).toEqual(tome)
    expect((await client.get(`/tomes/${other.id}/${tome.id}`)).status).toBe(404)
  })

  it('of a reference is checked; hidden and missing records have the same error', async () => {
    const hidden = await makeLedge(bea.id)
    const create = (ledge_id: unknown) =>
      client.post('/api/tomes', { json: { title: 'New', slug: 'new', ledge_id } })
    const refused = await Promise.all([hidden.id, NOBODYS, '7', 7].map(create))
    for (const answer of refused)
      expect([answer.status, (answer.json() as { errors: unknown }).errors]).toEqual([
        422,
        [{ field: 'ledge_id', messages: ['This record does not exist.'] }],
      ])
  })

  it('is logged with a denial', async () => {
    const lines: string[] = []
    const hidden = await makeLedge(bea.id)
    const log = pino({}, { write: (line: string) => void lines.push(line) })
    const telling = await testApp({ database, resources, log })
    await (await telling.signInAs(ann.email)).get(`/api/ledges/${hidden.id}`)
    const events = lines.map((line) => JSON.parse(line) as object)
    expect(events).toContainEqual(expect.objectContaining({ event: 'denied', id: hidden.id }))
  })

  it('supports versions in If-Match', async () => {
    const { id } = await makeLedge()
    const put = (tag: string) =>
      client.put(`/api/ledges/${id}`, { json: { name: 'Renamed' }, headers: { 'If-Match': tag } })
    expect((await put('"2"')).status).toBe(412)
    expect((await put('"1"')).json()).toMatchObject({ id, name: 'Renamed', version: 2 })
  })

  it('works with expectParity and probe', async () => {
    await makeLedge(bea.id)
    await expectParity(app, Ledge)
    const makers: Makers = {
      Tome: () => makeTome(ledge.id),
      Ledge: (owner) => makeLedge(owner.id),
      User: () => makeUser(),
      '/account/sessions/:id': () => Promise.resolve({ id: 0 }),
    }
    expect(await probe(await testApp({ database, resources: resources.slice(1, 2) }), makers)).toEqual([])
  })
})

describe('lists of records whose ids are UUIDs', () => {
  it('support cursor pages, with the id as the order of rows with equal times', async () => {
    const list = await makeLedge()
    const created_at = '2026-01-01T00:00:00.000001Z'
    const rows = Array.from({ length: 5 }, (_, index) => ({
      title: `Walked ${index}`,
      slug: `walked-${index}`,
      ledge_id: list.id,
      created_at,
    }))
    const ids = await app.within(() => tomes.asSystem('test').saveMany(rows))
    const walked: string[] = []
    let cursor: string | null = null
    do {
      const page: CursorPage<Tome> = await app.within(() =>
        tomes.asSystem('test').cursorPage(new CursorRequest(cursor, 2), {
          where: (is) => is('ledge_id', '=', list.id),
        }),
      )
      walked.push(...page.content.map(({ id }) => id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(walked).toEqual(ids.toSorted().toReversed())
    const filtered = await client.get(`/api/tomes?cursor=&size=2&ledge_id=${list.id}`)
    expect((filtered.json() as CursorPage<Tome>).content.map(({ id }) => id)).toEqual(walked.slice(0, 2))
  })

  it('support pages, filters and counts', async () => {
    const list = await makeLedge()
    const { id } = await makeTome(list.id)
    const page = (await client.get(`/api/tomes?ledge_id=${list.id}&sort=title`)).json() as Page<Tome>
    expect([page.total_elements, page.content[0]?.id]).toEqual([1, id])
    expect((await client.get('/api/tomes?ledge_id=7')).status).toBe(400)
  })

  it('support batches by ascending id, and positions', async () => {
    const list = await makeLedge()
    for (let index = 0; index < 7; index++) await makeTome(list.id)
    const where = {
      where: (is: Parameters<NonNullable<NonNullable<Parameters<typeof all.findAll>[0]>['where']>>[0]) =>
        is('ledge_id', '=', list.id),
    }
    const all = tomes.asSystem('test')
    await app.within(async () => {
      const ids = (await all.findAll(where)).map(({ id }) => id).toSorted()
      const walk = all.findInBatches(3, where)
      const first = (await walk.nextBatch())?.map(({ id }) => id)
      expect(first).toEqual(ids.slice(0, 3))
      const remaining: string[] = []
      for await (const row of all.findEach(2, { ...where, position: walk.position })) remaining.push(row.id)
      expect(remaining).toEqual(ids.slice(3))
      expect(await walk.progress()).toEqual({ rows: 3, share: null })
      const page = await all.page(new PageRequest(1, 100), where)
      expect(page.total_elements).toBe(7)
    })
  })

  it('store a JSON text as a text, however it is written', async () => {
    const all = tomes.asSystem('test')
    // A row may contain one: only the schema of clients rejects it.
    for (const text of ['7', '{"a":1}', 'words']) {
      const details = text as unknown as Json
      const written = await app.within(async () => {
        const { id } = await all.insert({
          title: `Text ${text}`,
          slug: `tome-${++made}`,
          ledge_id: ledge.id,
          details,
        })
        const stored = [(await all.find(id))?.details]
        await all.update(id, { details })
        stored.push((await all.find(id))?.details)
        await all.upsertMany([{ id, details }], { columns: ['details'] })
        return [...stored, (await all.find(id))?.details]
      })
      expect(written).toEqual([text, text, text])
    }
  })

  it('support upsertMany, which writes all rows or none', async () => {
    const list = await makeLedge()
    const [one, two] = [await makeTome(list.id), await makeTome(list.id)]
    const write = (rows: { id: string; title: string; details: Json }[]) =>
      app.within(() => tomes.asSystem('test').upsertMany(rows, { columns: ['title', 'details'] }))
    const details = [{ a: 1 }]
    expect(
      await write([
        { id: two.id, title: 'Second', details },
        { id: one.id, title: 'First', details },
      ]),
    ).toBe(2)
    expect(await app.within(() => tomes.asSystem('test').find(one.id))).toMatchObject({
      title: 'First',
      details,
    })
    const twice = { id: one.id, title: 'Twice', details }
    await expect(write([twice, twice])).rejects.toThrow(`The id ${one.id} appears twice.`)
    await expect(write([twice, { ...twice, id: NOBODYS }])).rejects.toThrow(`No Tome has the id ${NOBODYS}`)
    expect(await app.within(() => tomes.asSystem('test').find(one.id))).toMatchObject({ title: 'First' })
  })
})
