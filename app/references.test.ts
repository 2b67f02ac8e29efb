import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  authorize,
  authorizeRecord,
  formFor,
  formInput,
  type Handler,
  labelsOf,
  load,
  record,
  referenceChoices,
  render,
  type Resource,
  routes,
  secured,
  storeForm,
} from '#framework'
import { Book, books, createShelves, Shelf, shelves } from '#app/test/shelf.ts'
import { Leaf } from '#app/test/leaf.ts'
import { testApp } from '#app/test/test-app.ts'
import { testDatabase } from '#app/test/test-database.ts'
import type { TestClient } from '#app/test/test-client.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { users } from '#app/users/user.repository.ts'

/** Shows the choice of one column, and beside it the form it belongs to. */
async function show(req: Parameters<Handler>[0], res: Parameters<Handler>[1], asked: Shown) {
  const { resource, name, form } = asked
  const choices = (await referenceChoices(req, resource, form))[name]
  res.set('X-Form', JSON.stringify(form))
  await render(res, 'partials/reference', {
    form,
    choices,
    name,
    label: 'Shelf',
    optional: name === 'parent_id',
  })
}

interface Shown {
  resource: Resource
  name: string
  form: ReturnType<typeof formFor>
}

const bookRoutes = routes('/books', {
  'GET /new': [
    secured(),
    authorize('create', Book),
    (req, res) =>
      show(req, res, { resource: Book, name: 'shelf_id', form: formFor(Book, record(req, Book, 'create')) }),
  ],
  'POST /': [
    secured(),
    authorize('create', Book),
    async (req, res) => {
      const draft = record(req, Book, 'create')
      const form = await storeForm(await formInput(req, Book), async (input) =>
        books.insert(await authorizeRecord(req, 'create', Book, { ...draft, ...input })),
      )
      if (!form.valid) return show(req, res.status(form.status), { resource: Book, name: 'shelf_id', form })
      res.json(form.stored)
    },
  ],
  'GET /:id/edit': [
    secured(),
    load(Book),
    authorize('update', Book),
    (req, res) =>
      show(req, res, { resource: Book, name: 'shelf_id', form: formFor(Book, record(req, Book, 'update')) }),
  ],
  'PUT /:id': [
    secured(),
    load(Book),
    authorize('update', Book),
    async (req, res) => {
      const book = record(req, Book, 'update')
      const form = await storeForm(await formInput(req, Book, book), (input) => books.update(book, input))
      if (!form.valid) return show(req, res.status(form.status), { resource: Book, name: 'shelf_id', form })
      res.json(form.stored)
    },
  ],
})
const shelfRoutes = routes('/shelves', {
  'PUT /:id': [
    secured(),
    load(Shelf),
    authorize('update', Shelf),
    async (req, res) => {
      const shelf = record(req, Shelf, 'update')
      const form = await storeForm(await formInput(req, Shelf, shelf), (input) =>
        shelves.update(shelf, input),
      )
      if (!form.valid) return show(req, res.status(form.status), { resource: Shelf, name: 'parent_id', form })
      res.json(form.stored)
    },
  ],
})

const database = await testDatabase()
await createShelves(database.db)
const app = await testApp({
  database,
  resources: [
    { repository: books, routes: bookRoutes },
    { repository: shelves, routes: shelfRoutes },
    { repository: users },
  ],
})
const [ann, bea, cid] = await app.within(() => Promise.all([makeUser(), makeUser(), makeUser()]))
const [client, many] = await Promise.all([app.signInAs(ann.email), app.signInAs(cid.email)])

const makeShelf = (name: string, owner_id = ann.id) =>
  app.within(() => shelves.asSystem('test').insert({ name, owner_id }))
let made = 0
const makeBook = (shelf_id: string) =>
  app.within(() => books.asSystem('test').insert({ title: `Book ${++made}`, slug: `book-${made}`, shelf_id }))
const [garden, attic, hidden] = [
  await makeShelf('Garden'),
  await makeShelf('Attic'),
  await makeShelf('Cellar', bea.id),
]

// More than a choice offers.
beforeAll(() =>
  app.within(() =>
    shelves.asSystem('test').saveMany(
      Array.from({ length: 150 }, (_, index) => ({
        name: `Shelf ${String(index + 1).padStart(3, '0')}${index === 149 ? ' 100%' : ''}`,
        owner_id: cid.id,
      })),
    ),
  ),
)

const OPTION = /<option value="([^"]*)"( selected)?>([^<]*)<\/option>/g
const optionsIn = (text: string) =>
  [...text.matchAll(OPTION)].map(([, , selected, label]) => (selected ? `[${label}]` : label))
const formIn = (answer: { headers: Headers }) =>
  JSON.parse(answer.headers.get('x-form') ?? 'null') as ReturnType<typeof formFor>
const hops = { title: 'Hops', slug: 'hops', details: '' }

describe('labelsOf', () => {
  it('tells what people know records by, of those that the caller sees in lists', async () => {
    const labels = await app.within(() =>
      labelsOf(app.contextFor(ann), Shelf, [garden.id, null, hidden.id, garden.id, attic.id]),
    )
    expect(labels).toEqual(
      new Map([
        [attic.id, 'Attic'],
        [garden.id, 'Garden'],
      ]),
    )
  })

  it('asks once for all of them, and not at all for none', async () => {
    database.statements.length = 0
    await app.within(() => labelsOf(app.contextFor(ann), Shelf, [garden.id, attic.id]))
    await app.within(() => labelsOf(app.contextFor(ann), Shelf, [null]))
    expect(database.statements).toHaveLength(1)
    expect(database.statements[0]).not.toContain('parent_id')
  })

  it('falls back on the id where the label is empty', async () => {
    const nameless = await makeShelf(' ')
    const labels = await app.within(() => labelsOf(app.contextFor(ann), Shelf, [nameless.id]))
    expect(labels.get(nameless.id)).toBe(nameless.id)
    await app.within(() => shelves.asSystem('test').delete(nameless.id))
  })
})

describe('referenceChoices', () => {
  it('offers what the caller sees in lists, by its label, and chooses nothing for them', async () => {
    const { text } = await client.get('/books/new')
    expect(optionsIn(text)).toEqual(['[Choose…]', 'Attic', 'Garden'])
    expect(text).not.toContain('Find')
  })

  it('takes no id that the page could have, whatever the field is called', async () => {
    const { text } = await client.get('/books/new')
    expect(text).toContain('<label for="field-shelf_id">')
    expect(text).toMatch(/<select[^>]* id="field-shelf_id" name="shelf_id"/)
  })

  it('chooses what is stored, or was typed', async () => {
    const { id } = await makeBook(garden.id)
    expect(optionsIn((await client.get(`/books/${id}/edit`)).text)).toEqual(['Attic', '[Garden]'])
    const refused = await client.post('/books', { form: { ...hops, title: '', shelf_id: attic.id } })
    expect([refused.status, optionsIn(refused.text)]).toEqual([422, ['[Attic]', 'Garden']])
  })

  it('keeps a stored record that the caller may not see, without a word about it', async () => {
    const { id } = await makeBook(hidden.id)
    const { text } = await client.get(`/books/${id}/edit`)
    expect(optionsIn(text)).toEqual(['[Not shown to you]', 'Attic', 'Garden'])
    expect(text).not.toContain('Cellar')
    const saved = await client.post(`/books/${id}`, {
      form: { ...hops, _method: 'PUT', title: 'Renamed', slug: `renamed-${id}`, shelf_id: hidden.id },
    })
    expect(saved.json()).toMatchObject({ title: 'Renamed', shelf_id: hidden.id })
  })

  it('does not tell a hidden record that was sent from one that is not there', async () => {
    const nobodys = '00000000-0000-4000-8000-000000000000'
    const refused = await Promise.all(
      [hidden.id, nobodys].map((shelf_id) => client.post('/books', { form: { ...hops, shelf_id } })),
    )
    const [one, other] = refused.map(({ status, text }) => [status, text])
    expect(one).toEqual(other)
    expect(one?.[0]).toBe(422)
    expect(optionsIn(String(one?.[1]))).toEqual(['Choose…', 'Attic', 'Garden'])
  })

  it('beyond a hundred offers the first of them and a search', async () => {
    const { text } = await many.get('/books/new')
    expect(optionsIn(text).length).toBe(101)
    expect(optionsIn(text).slice(0, 2)).toEqual(['[Choose…]', 'Shelf 001'])
    expect(text).toContain('The first 100: search for others.')
    expect(text).toMatch(/<button[^>]*name="_find" value="shelf_id"/)
  })
})

describe('a form that looks for records to choose from', () => {
  const find = (sent: Record<string, string>, by: TestClient = many) =>
    by.post('/books', { form: { ...hops, title: '', shelf_id: '', ...sent } })

  it('comes back as it was sent, with what was found and nothing to object to', async () => {
    const answer = await find({
      _find: 'shelf_id',
      _find_shelf_id: ' SHELF  F\u00a014 ',
      details: '{"open":',
    })
    expect([answer.status, answer.headers.get('hx-push-url')]).toEqual([200, 'false'])
    expect(optionsIn(answer.text)).toEqual(['[Choose…]', 'Shelf 014', 'Shelf 114', ...numbered(140, 149)])
    expect(answer.text).toContain('12 found for “SHELF F 14”.')
    expect(formIn(answer)).toEqual({
      valid: false,
      status: 200,
      found: 'shelf_id',
      values: { ...hops, title: '', shelf_id: '', details: '{"open":' },
      errors: {},
    })
    // The choice has the focus: that is what comes next.
    expect(answer.text).toMatch(/<select[^>]* autofocus/)
    expect(answer.text).not.toContain('aria-invalid')
  })

  it('writes nothing, valid or not', async () => {
    const [shelf] = await app.within(() => shelves.visibleTo(app.contextFor(cid)).findAll())
    const answer = await find({ title: 'Valid', shelf_id: shelf?.id ?? '', _find: 'shelf_id' })
    expect(answer.status).toBe(200)
    const count = () => books.asSystem('test').count({ where: (is) => is('title', '=', 'Valid') })
    expect(await app.within(count)).toBe(0)
  })

  it('is one too when Enter in the search pressed the button that saves; without a search it is saved', async () => {
    const sent = { _found_shelf_id: '', _find_shelf_id: '7' }
    expect((await find(sent)).status).toBe(200)
    expect((await find({ ...sent, _found_shelf_id: '7' })).status).toBe(422)
    expect((await find({ _found_shelf_id: '', _find_shelf_id: '' })).status).toBe(422)
  })

  it('keeps what was chosen among what it found, and what was found when it is refused', async () => {
    const [first] = await app.within(() =>
      shelves.visibleTo(app.contextFor(cid)).findAll({ where: (is) => is('name', '=', 'Shelf 001') }),
    )
    const shelf_id = first?.id ?? ''
    const found = await find({ _find: 'shelf_id', _find_shelf_id: '149', shelf_id })
    expect(optionsIn(found.text)).toEqual(['[Shelf 001]', 'Shelf 149'])
    const refused = await find({ _found_shelf_id: '149', _find_shelf_id: '149', shelf_id })
    expect([refused.status, optionsIn(refused.text)]).toEqual([422, ['[Shelf 001]', 'Shelf 149']])
  })

  it('finds nothing that the caller doesn’t see, and takes a search as it is', async () => {
    expect(optionsIn((await find({ _find: 'shelf_id', _find_shelf_id: 'cellar' })).text)).toEqual([
      '[Choose…]',
    ])
    expect(optionsIn((await find({ _find: 'shelf_id', _find_shelf_id: '%' })).text)).toEqual([
      '[Choose…]',
      'Shelf 150 100%',
    ])
    for (const q of ['\0', '\\', "'; drop", '_'.repeat(5_000)])
      expect((await find({ _find: 'shelf_id', _find_shelf_id: q })).status).toBe(200)
  })

  it('is nobody’s who may not fill it in', async () => {
    const { id } = await makeBook(garden.id)
    const looking = { _method: 'PUT', _find: 'shelf_id', _find_shelf_id: 'a' }
    expect((await app.guest.post(`/books/${id}`, { form: looking })).status).toBe(303)
    const shelf = { ...looking, _find: 'parent_id' }
    expect((await client.post(`/shelves/${hidden.id}`, { form: shelf })).status).toBe(404)
  })

  it('still says which version it was filled in from', async () => {
    const { id } = await makeShelf('Versioned')
    const sent = { _method: 'PUT', _version: '1', name: 'Mine', opened_at: '', parent_id: '' }
    await client.put(`/api/shelves/${id}`, { json: { name: 'Theirs' }, headers: { 'If-Match': '"1"' } })
    const found = await client.post(`/shelves/${id}`, {
      form: { ...sent, _find: 'parent_id', _find_parent_id: 'at' },
    })
    expect([found.status, formIn(found)]).toMatchObject([200, { version: '1', values: { name: 'Mine' } }])
    expect(optionsIn(found.text)).toEqual(['[None]', 'Attic'])
    expect((await client.post(`/shelves/${id}`, { form: sent })).status).toBe(409)
  })
})

describe('a form about a row that somebody else changed', () => {
  it('compares what would be stored, and says what is stored now by its label', async () => {
    const shelf = await makeShelf('Compared')
    const body = { name: 'Compared', parent_id: attic.id, opened_at: '2026-04-27T12:00:00Z' }
    await client.put(`/api/shelves/${shelf.id}`, { json: body, headers: { 'If-Match': '"1"' } })
    const sent = { _method: 'PUT', _version: '1', name: 'Compared', opened_at: '2026-04-27T12:00:00' }
    const conflict = await client.post(`/shelves/${shelf.id}`, { form: { ...sent, parent_id: garden.id } })
    expect([conflict.status, formIn(conflict).storedNow]).toEqual([409, { parent_id: attic.id }])
    expect(conflict.text).toMatch(/Stored now: <span[^>]*>Attic</)
    // What both want is no conflict.
    expect(
      (await client.post(`/shelves/${shelf.id}`, { form: { ...sent, parent_id: attic.id } })).status,
    ).toBe(200)
  })
})

describe('a value that another record has already', () => {
  it('is told beside its field, in forms and in the API', async () => {
    const taken = await makeBook(garden.id)
    const values = { title: 'Unheard of', slug: taken.slug, shelf_id: garden.id }
    const form = await client.post('/books', { form: { ...values, details: '' } })
    expect([form.status, formIn(form).errors]).toEqual([
      422,
      { slug: ['Is taken already.'], shelf_id: ['Is taken already.'] },
    ])
    expect(formIn(form).values).toMatchObject(values)
    const api = await client.post('/api/books', {
      json: { ...values, title: taken.title.toUpperCase(), slug: 'free' },
    })
    expect([api.status, api.json()]).toMatchObject([
      422,
      { code: 'invalid', errors: [{ field: 'title', messages: ['Is taken already.'] }] },
    ])
    const other = await makeBook(garden.id)
    const put = await client.put(`/api/books/${other.id}`, { json: { title: taken.title } })
    expect(put.json()).toMatchObject({ status: 422, errors: [{ field: 'title' }] })
  })

  it('is a conflict where it is in no field, and so is one that nobody has', async () => {
    await sql`alter table books add column code text`.execute(database.db)
    await sql`create unique index books_code on books (coalesce(code, 'none')) where slug like '%-of-code'`.execute(
      database.db,
    )
    const create = (slug: string) =>
      client.post('/api/books', { json: { title: slug, slug, shelf_id: garden.id } })
    expect((await create('first-of-code')).status).toBe(201)
    expect((await create('second-of-code')).status).toBe(409)
    await sql`alter table books drop column code`.execute(database.db)
    await sql`create table slugs (slug text primary key)`.execute(database.db)
    await sql`alter table books add constraint known foreign key (slug) references slugs not valid`.execute(
      database.db,
    )
    expect((await create('not-among-slugs')).status).toBe(409)
    await sql`alter table books drop constraint known`.execute(database.db)
  })
})

describe('formFor', () => {
  it('shows what is stored where nothing is chosen', () => {
    expect(formFor(Book).values).toEqual({ details: null })
    expect(formFor(Leaf, { owner_id: 7 }).values).toEqual({ note: null, is_green: true })
  })

  it('shows values as their fields hold them', async () => {
    const shelf = await app.within(() =>
      shelves.asSystem('test').insert({ name: 'Opened', owner_id: ann.id, opened_at: '2026-04-27T12:00Z' }),
    )
    expect(formFor(Shelf, shelf)).toEqual({
      values: { name: 'Opened', parent_id: null, opened_at: '2026-04-27T12:00' },
      errors: {},
      version: '1',
    })
  })
})

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `Shelf ${from + index}`)
