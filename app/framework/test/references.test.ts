import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  authorize,
  authorizeRecord,
  formFor,
  formInput,
  type Handler,
  inTransaction,
  labelsOf,
  load,
  record,
  referenceChoices,
  render,
  type Resource,
  routes,
  secured,
  storeForm,
} from 'pergola'
import { Tome, tomes, createLedges, Ledge, ledges } from './fixtures/ledge.ts'
import { Leaf } from './fixtures/leaf.ts'
import { testApp } from './fixtures/test-app.ts'
import { type TestClient, testDatabase } from 'pergola/testing'
import { makeUser, User, users } from './fixtures/user.ts'
import { isPlain } from './fixtures/plain.ts'

/** Renders the reference field of one column. The header `X-Form` contains its form. */
async function show(req: Parameters<Handler>[0], res: Parameters<Handler>[1], shown: Shown) {
  const { resource, name, form } = shown
  const all: Readonly<Record<string, object>> = await referenceChoices(req, resource, form)
  const choices = all[name]
  res.set('X-Form', JSON.stringify(form))
  await render(res, 'partials/reference', {
    form,
    choices,
    name,
    label: 'Ledge',
    optional: name === 'parent_id',
  })
}

interface Shown {
  resource: Resource
  name: string
  form: ReturnType<typeof formFor>
}

const tomeRoutes = routes('/tomes', {
  'GET /new': [
    secured(),
    authorize('create', Tome),
    (req, res) =>
      show(req, res, { resource: Tome, name: 'ledge_id', form: formFor(Tome, record(req, Tome, 'create')) }),
  ],
  'POST /': [
    secured(),
    authorize('create', Tome),
    async (req, res) => {
      const draft = record(req, Tome, 'create')
      const form = await storeForm(await formInput(req, Tome), async (input) =>
        tomes.insert(await authorizeRecord(req, 'create', Tome, { ...draft, ...input })),
      )
      if (!form.valid) return show(req, res.status(form.status), { resource: Tome, name: 'ledge_id', form })
      res.json(form.stored)
    },
  ],
  'GET /:id/edit': [
    secured(),
    load(Tome),
    authorize('update', Tome),
    (req, res) =>
      show(req, res, { resource: Tome, name: 'ledge_id', form: formFor(Tome, record(req, Tome, 'update')) }),
  ],
  'PUT /:id': [
    secured(),
    load(Tome),
    authorize('update', Tome),
    async (req, res) => {
      const tome = record(req, Tome, 'update')
      const form = await storeForm(await formInput(req, Tome, tome), (input) => tomes.update(tome, input))
      if (!form.valid) return show(req, res.status(form.status), { resource: Tome, name: 'ledge_id', form })
      res.json(form.stored)
    },
  ],
})
const ledgeRoutes = routes('/ledges', {
  'PUT /:id': [
    secured(),
    load(Ledge),
    authorize('update', Ledge),
    async (req, res) => {
      const ledge = record(req, Ledge, 'update')
      const form = await storeForm(await formInput(req, Ledge, ledge), (input) => ledges.update(ledge, input))
      if (!form.valid) return show(req, res.status(form.status), { resource: Ledge, name: 'parent_id', form })
      res.json(form.stored)
    },
  ],
  'DELETE /:id': [
    secured(),
    load(Ledge),
    authorize('delete', Ledge),
    async (req, res) => {
      await ledges.delete(record(req, Ledge, 'delete'))
      res.redirect(303, '/')
    },
  ],
})

const database = await testDatabase()
await createLedges(database.db)
const app = await testApp({
  database,
  resources: [
    { repository: tomes, routes: { tomeRoutes } },
    { repository: ledges, routes: { ledgeRoutes } },
    { repository: users },
  ],
})
const [ann, bea, cid] = await app.within(() => Promise.all([makeUser(), makeUser(), makeUser()]))
const [client, many] = await Promise.all([app.signInAs(ann.email), app.signInAs(cid.email)])

const makeLedge = (name: string, owner_id = ann.id) =>
  app.within(() => ledges.asSystem('test').insert({ name, owner_id }))
let made = 0
const makeTome = (ledge_id: string) =>
  app.within(() => tomes.asSystem('test').insert({ title: `Tome ${++made}`, slug: `tome-${made}`, ledge_id }))
const [garden, attic, hidden] = [
  await makeLedge('Garden'),
  await makeLedge('Attic'),
  await makeLedge('Cellar', bea.id),
]

// More records than a reference field offers.
beforeAll(() =>
  app.within(() =>
    ledges.asSystem('test').saveMany(
      Array.from({ length: 150 }, (_, index) => ({
        name: `Ledge ${String(index + 1).padStart(3, '0')}${index === 149 ? ' 100%' : ''}`,
        owner_id: cid.id,
      })),
    ),
  ),
)

const OPTION =
  /(?:<option value="[^"]*"( selected)?>|<input type="radio"[^>]*?( checked)?><span dir="auto">)([^<]*)</g
/** Returns the labels of a select, or of the radio buttons of a search. That of the chosen record has brackets. */
const optionsIn = (text: string) =>
  [...text.matchAll(OPTION)].map(([, selected, checked, label]) =>
    selected || checked ? `[${label}]` : label,
  )
const formIn = (answer: { headers: Headers }) =>
  JSON.parse(answer.headers.get('x-form') ?? 'null') as ReturnType<typeof formFor>
const hops = { title: 'Hops', slug: 'hops', details: '' }

describe('labelsOf', () => {
  it('returns the labels of records that the caller sees in lists', async () => {
    const labels = await app.within(() =>
      labelsOf(app.contextFor(ann), Ledge, [garden.id, null, hidden.id, garden.id, attic.id]),
    )
    expect(labels).toEqual(
      new Map([
        [attic.id, 'Attic'],
        [garden.id, 'Garden'],
      ]),
    )
  })

  it('sends one query for all ids, and none without ids', async () => {
    database.statements.length = 0
    await app.within(() => labelsOf(app.contextFor(ann), Ledge, [garden.id, attic.id]))
    await app.within(() => labelsOf(app.contextFor(ann), Ledge, [null]))
    expect(database.statements).toHaveLength(1)
    expect(database.statements[0]).not.toContain('parent_id')
  })

  it.skipIf(isPlain)(
    'sends few different statements for any number of ids, which can therefore be prepared',
    async () => {
      database.statements.length = 0
      await app.within(() => labelsOf(app.contextFor(ann), Ledge, [garden.id]))
      await app.within(() => labelsOf(app.contextFor(ann), Ledge, [garden.id, attic.id, hidden.id]))
      await app.within(() => labelsOf(app.contextFor(ann), User, [ann.id, bea.id, -1]))
      await app.within(() => labelsOf(app.contextFor(ann), User, [ann.id, bea.id, -1, -2]))
      const [ledge, ledgeAgain, user, userAgain] = database.statements
      expect([ledgeAgain, userAgain]).toEqual([ledge, user])
      expect(ledge).toContain('::uuid[]')
      expect(user).toContain('in ($1::bigint, $2::bigint, $3::bigint, $4::bigint)')
    },
  )

  it.skipIf(isPlain)(
    'shares one query between concurrent callers if the scope shows them all records',
    async () => {
      database.statements.length = 0
      const labels = await Promise.all([
        app.within(() => labelsOf(app.contextFor(ann), User, [ann.id, bea.id])),
        app.within(() => labelsOf(app.contextFor(null), User, [bea.id, -1])),
      ])
      expect(labels).toEqual([
        new Map([
          [ann.id, ann.name],
          [bea.id, bea.name],
        ]),
        new Map([[bea.id, bea.name]]),
      ])
      expect(database.statements).toHaveLength(1)
    },
  )

  it('sends a query for each caller if the scope depends on the caller', async () => {
    database.statements.length = 0
    const labels = await Promise.all(
      [ann, bea].map((user) =>
        app.within(() => labelsOf(app.contextFor(user), Ledge, [garden.id, hidden.id])),
      ),
    )
    expect(labels).toEqual([new Map([[garden.id, 'Garden']]), new Map([[hidden.id, 'Cellar']])])
    expect(database.statements).toHaveLength(2)
  })

  it('sends one query for more ids than a shared one takes', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => index + 1_000_000)
    database.statements.length = 0
    const labels = await app.within(() => labelsOf(app.contextFor(ann), User, [...ids, ann.id]))
    expect(labels).toEqual(new Map([[ann.id, ann.name]]))
    expect(database.statements).toHaveLength(1)
  })

  it('sends one query in a transaction, which sees its writes', async () => {
    const renamed = app.within(() =>
      inTransaction(async () => {
        await users.asSystem('test').update(cid.id, { name: 'Cid the Second' })
        database.statements.length = 0
        const labels = await labelsOf(app.contextFor(ann), User, [ann.id, cid.id])
        expect(database.statements).toHaveLength(1)
        expect(labels.get(cid.id)).toBe('Cid the Second')
        throw new Error('undo')
      }),
    )
    await expect(renamed).rejects.toThrow('undo')
  })

  it('returns the id if the label is empty', async () => {
    const nameless = await makeLedge(' ')
    const labels = await app.within(() => labelsOf(app.contextFor(ann), Ledge, [nameless.id]))
    expect(labels.get(nameless.id)).toBe(nameless.id)
    await app.within(() => ledges.asSystem('test').delete(nameless.id))
  })
})

describe('referenceChoices', () => {
  it('offers the records that the caller sees in lists by their labels, and preselects none', async () => {
    const { text } = await client.get('/tomes/new')
    expect(optionsIn(text)).toEqual(['[Choose…]', 'Attic', 'Garden'])
    expect(text).not.toContain('Find')
  })

  it('prefixes the element id, so that it can’t clash with ids of the page', async () => {
    const { text } = await client.get('/tomes/new')
    expect(text).toContain('<label for="field-ledge_id">')
    expect(text).toMatch(/<select[^>]* id="field-ledge_id" name="ledge_id"/)
  })

  it('selects the stored or the submitted record', async () => {
    const { id } = await makeTome(garden.id)
    expect(optionsIn((await client.get(`/tomes/${id}/edit`)).text)).toEqual(['Attic', '[Garden]'])
    const refused = await client.post('/tomes', { form: { ...hops, title: '', ledge_id: attic.id } })
    expect([refused.status, optionsIn(refused.text)]).toEqual([422, ['[Attic]', 'Garden']])
  })

  it('keeps a stored record that the caller may not see, without its label', async () => {
    const { id } = await makeTome(hidden.id)
    const { text } = await client.get(`/tomes/${id}/edit`)
    expect(optionsIn(text)).toEqual(['[(hidden record)]', 'Attic', 'Garden'])
    expect(text).not.toContain('Cellar')
    const saved = await client.post(`/tomes/${id}`, {
      form: { ...hops, _method: 'PUT', title: 'Renamed', slug: `renamed-${id}`, ledge_id: hidden.id },
    })
    expect(saved.json()).toMatchObject({ title: 'Renamed', ledge_id: hidden.id })
  })

  it('responds to the id of a hidden record as to the id of a missing record', async () => {
    const nobodys = '00000000-0000-4000-8000-000000000000'
    const refused = await Promise.all(
      [hidden.id, nobodys].map((ledge_id) => client.post('/tomes', { form: { ...hops, ledge_id } })),
    )
    const [one, other] = refused.map(({ status, text }) => [status, text])
    expect(one).toEqual(other)
    expect(one?.[0]).toBe(422)
    expect(optionsIn(String(one?.[1]))).toEqual(['Choose…', 'Attic', 'Garden'])
  })

  it('is a select for a hundred records, and a search with the first twenty for more', async () => {
    const dee = await app.within(() => makeUser())
    const insert = (names: readonly string[]) =>
      app.within(() => ledges.asSystem('test').saveMany(names.map((name) => ({ name, owner_id: dee.id }))))
    await insert(Array.from({ length: 100 }, (_, index) => `Shelf ${100 + index}`))
    const page = async () => (await (await app.signInAs(dee.email)).get('/tomes/new')).text
    const select = await page()
    expect(optionsIn(select)).toHaveLength(101)
    expect(select).not.toContain('_find')
    await insert(['Shelf 200'])
    const search = await page()
    expect(optionsIn(search)).toEqual(Array.from({ length: 20 }, (_, index) => `Shelf ${100 + index}`))
    expect(search).toContain('Showing the first 20. Search to find more.')
    expect(search).toMatch(/<input type="search" id="field-ledge_id" name="_find_ledge_id"/)
    expect(search).toMatch(/<button[^>]*name="_find" value="ledge_id"/)
    expect(search).not.toContain('<select')
  })

  it('begins the results with the chosen record, and keeps a hidden one', async () => {
    const { id } = await makeTome(hidden.id)
    const { text } = await many.get(`/tomes/${id}/edit`)
    expect(optionsIn(text).slice(0, 2)).toEqual(['[(hidden record)]', 'Ledge 001'])
    const unchanged = { ...hops, _method: 'PUT', slug: `kept-${id}`, _found_ledge_id: '', _find_ledge_id: '' }
    const saved = await many.post(`/tomes/${id}`, {
      form: { ...unchanged, title: `Kept ${id}`, ledge_id: hidden.id },
    })
    expect(saved.json()).toMatchObject({ title: `Kept ${id}`, ledge_id: hidden.id })
  })

  it('requires a choice among the results: radio buttons send nothing without one', async () => {
    const { id } = await makeTome(garden.id)
    const form = { ...hops, title: `None ${id}`, slug: `none-${id}`, _found_ledge_id: '', _find_ledge_id: '' }
    const refused = [
      await many.post('/tomes', { form }),
      await many.post(`/tomes/${id}`, { form: { ...form, _method: 'PUT' } }),
    ]
    expect(refused.map((answer) => [answer.status, formIn(answer).errors])).toEqual([
      [422, { ledge_id: ['Choose an option.'] }],
      [422, { ledge_id: ['Choose an option.'] }],
    ])
    expect(refused[0]?.text).toMatch(
      /<input type="search"[^>]*\saria-describedby="ledge_id-count ledge_id-error" aria-invalid="true"/,
    )
  })
})

describe('the search of a reference field', () => {
  const find = (sent: Record<string, string>, by: TestClient = many) =>
    by.post('/tomes', { form: { ...hops, title: '', ledge_id: '', ...sent } })

  it('shows the submitted form with the search results and no errors', async () => {
    const answer = await find({
      _find: 'ledge_id',
      _find_ledge_id: ' LEDGE  E\u00a014 ',
      details: '{"open":',
    })
    expect([answer.status, answer.headers.get('hx-push-url')]).toEqual([200, 'false'])
    expect(optionsIn(answer.text)).toEqual(['Ledge 014', 'Ledge 114', ...numbered(140, 149)])
    expect(answer.text).toContain('12 results for “LEDGE E 14”.')
    expect(formIn(answer)).toEqual({
      valid: false,
      status: 200,
      token: expect.any(String),
      found: 'ledge_id',
      values: { ...hops, title: '', ledge_id: '', details: '{"open":' },
      errors: {},
    })
    // The search has the focus, and its description is the number of results.
    expect(answer.text).toMatch(/<input type="search"[^>]*\saria-describedby="ledge_id-count" autofocus\s/)
    expect(answer.text).not.toContain('aria-invalid')
  })

  it('writes nothing, even if the form is valid', async () => {
    const [ledge] = await app.within(() => ledges.visibleTo(app.contextFor(cid)).findAll())
    const answer = await find({ title: 'Valid', ledge_id: ledge?.id ?? '', _find: 'ledge_id' })
    expect(answer.status).toBe(200)
    const count = () => tomes.asSystem('test').count({ where: (is) => is('title', '=', 'Valid') })
    expect(await app.within(count)).toBe(0)
  })

  it('runs if Enter in the search field submits the form; without a search text, the form is saved', async () => {
    const sent = { _found_ledge_id: '', _find_ledge_id: '7' }
    expect((await find(sent)).status).toBe(200)
    expect((await find({ ...sent, _found_ledge_id: '7' })).status).toBe(422)
    expect((await find({ _found_ledge_id: '', _find_ledge_id: '' })).status).toBe(422)
  })

  it('keeps the chosen record among the results, and the results of an invalid form', async () => {
    const [first] = await app.within(() =>
      ledges.visibleTo(app.contextFor(cid)).findAll({ where: (is) => is('name', '=', 'Ledge 001') }),
    )
    const ledge_id = first?.id ?? ''
    const form = await find({ _find: 'ledge_id', _find_ledge_id: '149', ledge_id })
    expect(optionsIn(form.text)).toEqual(['[Ledge 001]', 'Ledge 149'])
    const refused = await find({ _found_ledge_id: '149', _find_ledge_id: '149', ledge_id })
    expect([refused.status, optionsIn(refused.text)]).toEqual([422, ['[Ledge 001]', 'Ledge 149']])
  })

  it('returns only records that the caller sees, and searches literally', async () => {
    const labels = async (q: string) => optionsIn((await find({ _find: 'ledge_id', _find_ledge_id: q })).text)
    expect(await labels('cellar')).toEqual([])
    expect(await labels('%')).toEqual(['Ledge 150 100%'])
    for (const q of ['\0', '\\', "'; drop", '_'.repeat(5_000)])
      expect((await find({ _find: 'ledge_id', _find_ledge_id: q })).status).toBe(200)
  })

  it('stays a search if its text was removed, or if the records became few', async () => {
    const cleared = await find({ _find: 'ledge_id', _find_ledge_id: '', _found_ledge_id: 'a' }, client)
    expect(optionsIn(cleared.text)).toEqual(['Attic', 'Garden'])
    expect(cleared.text).toMatch(/<fieldset class="choices" id="field-ledge_id-choices">/)
    expect(cleared.text).toContain('Showing all 2.')
  })

  it('shows the same choice for the id of a hidden record as for the id of a missing record', async () => {
    const nobodys = '00000000-0000-4000-8000-000000000000'
    const [one, other] = await Promise.all(
      [hidden.id, nobodys].map(async (ledge_id) => {
        const { text } = await find({ _find: 'ledge_id', _find_ledge_id: 'cellar', ledge_id })
        return text.replaceAll(ledge_id, 'ID')
      }),
    )
    expect(one).toBe(other)
    expect(optionsIn(String(one))).toEqual(['[(hidden record)]'])
  })

  it('ignores several texts, and the names of other columns', async () => {
    const fields = String(new URLSearchParams({ ...hops, ledge_id: '' }))
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const twice = '_find_ledge_id=cellar&_find_ledge_id=14'
    for (const forged of [
      twice,
      `${twice}&_found_ledge_id=1&_found_ledge_id=2`,
      '_find=owner_id&_find_owner_id=1',
      '_find=__proto__&_find___proto__=1',
    ]) {
      const answer = await many.post('/tomes', { body: `${fields}&${forged}`, headers })
      expect([forged, optionsIn(answer.text).length]).toEqual([forged, 20])
    }
  })

  it('requires the permission to fill in the form', async () => {
    const { id } = await makeTome(garden.id)
    const looking = { _method: 'PUT', _find: 'ledge_id', _find_ledge_id: 'a' }
    expect((await app.guest.post(`/tomes/${id}`, { form: looking })).status).toBe(303)
    const ledge = { ...looking, _find: 'parent_id' }
    expect((await client.post(`/ledges/${hidden.id}`, { form: ledge })).status).toBe(404)
  })

  it('keeps the version of the form', async () => {
    const { id } = await makeLedge('Versioned')
    const sent = { _method: 'PUT', _version: '1', name: 'Mine', opened_at: '', parent_id: '' }
    await client.put(`/api/ledges/${id}`, { json: { name: 'Theirs' }, headers: { 'If-Match': '"1"' } })
    const response = await client.post(`/ledges/${id}`, {
      form: { ...sent, _find: 'parent_id', _find_parent_id: 'at' },
    })
    expect([response.status, formIn(response)]).toMatchObject([
      200,
      { version: '1', values: { name: 'Mine' } },
    ])
    expect(optionsIn(response.text)).toEqual(['[None]', 'Attic'])
    expect((await client.post(`/ledges/${id}`, { form: sent })).status).toBe(409)
  })
})

describe('a form about a row that another user changed', () => {
  it('compares the values to store, and shows the stored record by its label', async () => {
    const ledge = await makeLedge('Compared')
    const body = { name: 'Compared', parent_id: attic.id, opened_at: '2026-04-27T12:00:00Z' }
    await client.put(`/api/ledges/${ledge.id}`, { json: body, headers: { 'If-Match': '"1"' } })
    const sent = { _method: 'PUT', _version: '1', name: 'Compared', opened_at: '2026-04-27T12:00:00' }
    const conflict = await client.post(`/ledges/${ledge.id}`, { form: { ...sent, parent_id: garden.id } })
    expect([conflict.status, formIn(conflict).storedNow]).toEqual([409, { parent_id: attic.id }])
    expect(conflict.text).toMatch(/Current value: <span[^>]*>Attic</)
    // Equal changes are not a conflict.
    expect(
      (await client.post(`/ledges/${ledge.id}`, { form: { ...sent, parent_id: attic.id } })).status,
    ).toBe(200)
  })
})

describe('a unique value that another record has', () => {
  it('is a field error in forms and in the API', async () => {
    const taken = await makeTome(garden.id)
    const values = { title: 'Unheard of', slug: taken.slug, ledge_id: garden.id }
    const form = await client.post('/tomes', { form: { ...values, details: '' } })
    expect([form.status, formIn(form).errors]).toEqual([
      422,
      { slug: ['This combination is already in use.'], ledge_id: ['This combination is already in use.'] },
    ])
    expect(formIn(form).values).toMatchObject(values)
    const api = await client.post('/api/tomes', {
      json: { ...values, title: taken.title.toUpperCase(), slug: 'free' },
    })
    expect([api.status, api.json()]).toMatchObject([
      422,
      { code: 'invalid', errors: [{ field: 'title', messages: ['This value is already in use.'] }] },
    ])
    const other = await makeTome(garden.id)
    const put = await client.put(`/api/tomes/${other.id}`, { json: { title: taken.title } })
    expect(put.json()).toMatchObject({ status: 422, errors: [{ field: 'title' }] })
  })

  it('is a conflict if its columns are not fields, and so is a missing reference', async () => {
    await sql`alter table tomes add column code text`.execute(database.db)
    await sql`create unique index tomes_code on tomes (coalesce(code, 'none')) where slug like '%-of-code'`.execute(
      database.db,
    )
    const create = (slug: string) =>
      client.post('/api/tomes', { json: { title: slug, slug, ledge_id: garden.id } })
    expect((await create('first-of-code')).status).toBe(201)
    expect((await create('second-of-code')).status).toBe(409)
    await sql`alter table tomes drop column code`.execute(database.db)
    await sql`create table slugs (slug text primary key)`.execute(database.db)
    await sql`alter table tomes add constraint known foreign key (slug) references slugs not valid`.execute(
      database.db,
    )
    expect((await create('not-among-slugs')).status).toBe(409)
    await sql`alter table tomes drop constraint known`.execute(database.db)
  })
})

describe('a record that others refer to', () => {
  it('explains a blocked deletion, on a page and in the API', async () => {
    const { id } = await makeLedge('Referred to')
    const { id: child } = await app.within(() =>
      ledges.asSystem('test').insert({ name: 'Child', owner_id: ann.id, parent_id: id }),
    )
    const page = await client.post(`/ledges/${id}`, { form: { _method: 'DELETE' } })
    expect([page.status, page.text]).toEqual([
      409,
      expect.stringContaining('Other records refer to this record.'),
    ])
    const remove = (path: string) => client.delete(path, { headers: { 'if-match': '"1"' } })
    const api = await remove(`/api/ledges/${id}`)
    expect([api.status, api.json()]).toMatchObject([
      409,
      { code: 'in_use', detail: 'Other records refer to this record. Delete or change them first.' },
    ])
    expect((await remove(`/api/ledges/${child}`)).status).toBe(204)
    expect((await remove(`/api/ledges/${id}`)).status).toBe(204)
  })

  it('can’t be deleted by the system either', async () => {
    const { id } = await makeLedge('Below a tome')
    await makeTome(id)
    await expect(app.within(() => ledges.asSystem('test').delete(id))).rejects.toThrow('Other records refer')
  })
})

describe('formFor', () => {
  it('shows the stored record if none is chosen', () => {
    expect(formFor(Tome).values).toEqual({ details: null })
    expect(formFor(Leaf, { owner_id: 7 }).values).toEqual({ note: null, is_green: true })
  })

  it('converts values to the text of their fields', async () => {
    const ledge = await app.within(() =>
      ledges.asSystem('test').insert({ name: 'Opened', owner_id: ann.id, opened_at: '2026-04-27T12:00Z' }),
    )
    expect(formFor(Ledge, ledge)).toEqual({
      values: { name: 'Opened', parent_id: null, opened_at: '2026-04-27T12:00' },
      errors: {},
      version: '1',
    })
  })
})

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `Ledge ${from + index}`)
