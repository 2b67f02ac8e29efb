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
} from '#framework'
import { Book, books, createShelves, Shelf, shelves } from '#app/test/shelf.ts'
import { expectParity } from '#app/test/expect-parity.ts'
import { type Makers, probe } from '#app/test/probe.ts'
import { testApp } from '#app/test/test-app.ts'
import { testDatabase } from '#app/test/test-database.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NOBODYS = '00000000-0000-4000-8000-000000000000'

const bookRoutes = routes('/books', {
  'GET /:id': [
    publicRoute(),
    load(Book),
    authorize('show', Book),
    async (req, res) => {
      const book = record(req, Book, 'show')
      const may = await abilities(req, Book, [book], ['update'])
      res.json({ ...book, may: may(book, 'update') })
    },
  ],
  'GET /:shelf/:id': [
    publicRoute(),
    load(Book, { below: { shelf_id: 'shelf' } }),
    authorize('show', Book),
    (req, res) => void res.json(record(req, Book, 'show')),
  ],
  // A copy is loaded afresh.
  'POST /:id/title': [
    secured(),
    load(Book),
    authorize('update', Book),
    async (req, res) => {
      const copy = { ...record(req, Book, 'update') }
      res.json(await books.update(await authorizeRecord(req, 'update', Book, copy), { title: 'Retitled' }))
    },
  ],
})

const database = await testDatabase()
await createShelves(database.db)
const resources = [{ repository: books, routes: bookRoutes }, { repository: shelves }, { repository: users }]
const app = await testApp({ database, resources })
const [ann, bea] = await app.within(() => Promise.all([makeUser(), makeUser()]))
const client = await app.signInAs(ann.email)

const makeShelf = (owner_id = ann.id) =>
  app.within(() => shelves.asSystem('test').insert({ name: 'Shelf', owner_id }))
let made = 0
const makeBook = (shelf_id: string, title = `Book ${++made}`) =>
  app.within(() => books.asSystem('test').insert({ title, slug: `book-${++made}`, shelf_id }))
const shelf = await makeShelf()

describe('an id that is a UUID', () => {
  it('names a record in addresses and in JSON, from its creation to its end', async () => {
    const created = await client.post('/api/books', {
      json: { title: 'Hops', slug: 'hops', shelf_id: shelf.id, details: [1, 'two'] },
    })
    expect(created.status).toBe(201)
    const book = created.json() as Book
    expect(book).toMatchObject({ id: expect.stringMatching(UUID) as string, details: [1, 'two'] })
    const path = `/api/books/${book.id}`
    expect(created.headers.get('location')).toBe(path)
    expect((await client.get(path)).json()).toEqual(book)
    expect((await client.get(`/books/${book.id}`)).json()).toEqual({ ...book, may: true })
    const changed = await client.put(path, { json: { ...book, details: { pages: 7 } } })
    expect(changed.json()).toEqual({ ...book, details: { pages: 7 } })
    expect((await client.post(`/books/${book.id}/title`, { form: {} })).json()).toMatchObject({
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
  ])('is not %s, where there is nothing', async (id) => {
    const answers = await Promise.all(
      [`/api/books/${id}`, `/books/${id}`, `/books/${id}/${id}`].map((path) => client.get(path)),
    )
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(await app.within(() => books.find(id))).toBeNull()
  })

  it('in capitals is not the address of a record that is there', async () => {
    const { id } = await app.within(() =>
      books.asSystem('test').insert({
        id: 'aaaaaaaa-0000-4000-8000-000000000001',
        title: 'Capital',
        slug: 'capital',
        shelf_id: shelf.id,
      }),
    )
    expect((await client.get(`/api/books/${id}`)).status).toBe(200)
    expect((await client.get(`/api/books/${id.toUpperCase()}`)).status).toBe(404)
  })

  it('leads to the record below its parent alone', async () => {
    const [book, other] = [await makeBook(shelf.id), await makeShelf()]
    expect((await client.get(`/books/${shelf.id}/${book.id}`)).json()).toEqual(book)
    expect((await client.get(`/books/${other.id}/${book.id}`)).status).toBe(404)
  })

  it('of another record is checked where it is sent; what is hidden and what is missing are the same', async () => {
    const hidden = await makeShelf(bea.id)
    const create = (shelf_id: unknown) =>
      client.post('/api/books', { json: { title: 'New', slug: 'new', shelf_id } })
    const refused = await Promise.all([hidden.id, NOBODYS, '7', 7].map(create))
    for (const answer of refused)
      expect([answer.status, (answer.json() as { errors: unknown }).errors]).toEqual([
        422,
        [{ field: 'shelf_id', messages: ['Does not exist.'] }],
      ])
  })

  it('is told in a denial', async () => {
    const lines: string[] = []
    const hidden = await makeShelf(bea.id)
    const log = pino({}, { write: (line: string) => void lines.push(line) })
    const telling = await testApp({ database, resources, log })
    await (await telling.signInAs(ann.email)).get(`/api/shelves/${hidden.id}`)
    const events = lines.map((line) => JSON.parse(line) as object)
    expect(events).toContainEqual(expect.objectContaining({ event: 'denied', id: hidden.id }))
  })

  it('carries the version that a caller saw', async () => {
    const { id } = await makeShelf()
    const put = (tag: string) =>
      client.put(`/api/shelves/${id}`, { json: { name: 'Renamed' }, headers: { 'If-Match': tag } })
    expect((await put('"2"')).status).toBe(412)
    expect((await put('"1"')).json()).toMatchObject({ id, name: 'Renamed', version: 2 })
  })

  it('holds scope and policy to the same rows, and lets in who may', async () => {
    await makeShelf(bea.id)
    await expectParity(app, Shelf)
    const makers: Makers = {
      Book: () => makeBook(shelf.id),
      Shelf: (owner) => makeShelf(owner.id),
      User: () => makeUser(),
      '/account/sessions/:id': () => Promise.resolve({ id: 0 }),
    }
    expect(await probe(await testApp({ database, resources: resources.slice(1, 2) }), makers)).toEqual([])
  })
})

describe('lists of records whose ids are UUIDs', () => {
  it('are walked by cursor, those of one moment by their id', async () => {
    const list = await makeShelf()
    const created_at = '2026-01-01T00:00:00.000001Z'
    const rows = Array.from({ length: 5 }, (_, index) => ({
      title: `Walked ${index}`,
      slug: `walked-${index}`,
      shelf_id: list.id,
      created_at,
    }))
    const ids = await app.within(() => books.asSystem('test').saveMany(rows))
    const walked: string[] = []
    let cursor: string | null = null
    do {
      const page: CursorPage<Book> = await app.within(() =>
        books.asSystem('test').cursorPage(new CursorRequest(cursor, 2), {
          where: (is) => is('shelf_id', '=', list.id),
        }),
      )
      walked.push(...page.content.map(({ id }) => id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(walked).toEqual(ids.toSorted().toReversed())
    const filtered = await client.get(`/api/books?cursor=&size=2&shelf_id=${list.id}`)
    expect((filtered.json() as CursorPage<Book>).content.map(({ id }) => id)).toEqual(walked.slice(0, 2))
  })

  it('are paged, filtered and counted', async () => {
    const list = await makeShelf()
    const { id } = await makeBook(list.id)
    const page = (await client.get(`/api/books?shelf_id=${list.id}&sort=title`)).json() as Page<Book>
    expect([page.total_elements, page.content[0]?.id]).toEqual([1, id])
    // What is no id filters nothing, as other input of lists.
    const all = (await client.get('/api/books?shelf_id=7')).json() as Page<Book>
    expect(all.total_elements).toBeGreaterThan(1)
  })

  it('are gone through in batches by rising id, from any position, in as many parts', async () => {
    const list = await makeShelf()
    for (let index = 0; index < 7; index++) await makeBook(list.id)
    const where = {
      where: (is: Parameters<NonNullable<NonNullable<Parameters<typeof all.findAll>[0]>['where']>>[0]) =>
        is('shelf_id', '=', list.id),
    }
    const all = books.asSystem('test')
    await app.within(async () => {
      const ids = (await all.findAll(where)).map(({ id }) => id).toSorted()
      const walk = all.findInBatches(3, where)
      const first = (await walk.nextBatch())?.map(({ id }) => id)
      expect(first).toEqual(ids.slice(0, 3))
      const rest: string[] = []
      for await (const row of all.findEach(2, { ...where, position: walk.position })) rest.push(row.id)
      expect(rest).toEqual(ids.slice(3))
      expect(await walk.progress()).toEqual({ rows: 3, share: null })
      const parts = await all.partitions(2, where)
      expect(parts).toHaveLength(2)
      const found: string[] = []
      for (const part of parts)
        for await (const row of all.findEach(10, { ...where, ...part })) found.push(row.id)
      expect(found.toSorted()).toEqual(ids)
      const page = await all.page(new PageRequest(1, 100), where)
      expect(page.total_elements).toBe(7)
    })
  })

  it('are written back, all or none', async () => {
    const list = await makeShelf()
    const [one, two] = [await makeBook(list.id), await makeBook(list.id)]
    const write = (rows: { id: string; title: string; details: Json }[]) =>
      app.within(() => books.asSystem('test').upsertMany(rows, { columns: ['title', 'details'] }))
    const details = [{ a: 1 }]
    expect(
      await write([
        { id: two.id, title: 'Second', details },
        { id: one.id, title: 'First', details },
      ]),
    ).toBe(2)
    expect(await app.within(() => books.find(one.id))).toMatchObject({ title: 'First', details })
    const twice = { id: one.id, title: 'Twice', details }
    await expect(write([twice, twice])).rejects.toThrow(`The id ${one.id} is given twice.`)
    await expect(write([twice, { ...twice, id: NOBODYS }])).rejects.toThrow(`No Book has the id ${NOBODYS}`)
    expect(await app.within(() => books.find(one.id))).toMatchObject({ title: 'First' })
  })
})
