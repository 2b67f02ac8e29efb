import type { Generated } from 'kysely'
import { sql } from 'kysely'
import { pino } from 'pino'
import { beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  abilities,
  authorize,
  authorizeRecord,
  contextOf,
  field,
  filter,
  formFor,
  formInput,
  type Handler,
  jsonBody,
  listQuery,
  load,
  maySeeField,
  pageRequest,
  policy,
  policyContext,
  record,
  recordForm,
  repository,
  resource,
  type RowOf,
  routes,
  scope,
  scoped,
  secured,
  storeForm,
} from 'pergola'
import { type FieldRule, fieldRules } from 'pergola/features'
import { testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { Note } from './fixtures/note.ts'
import { users } from './fixtures/user.ts'
import { namedValues } from './fixtures/named-values.ts'

interface EmployeeTable {
  id: Generated<number>
  name: string
  user_id: number
  salary: number
  remark: Generated<string>
  featured: Generated<boolean>
  version: Generated<number>
}

declare module 'pergola' {
  interface Tables {
    employees: EmployeeTable
    gauges: { id: Generated<number>; maxLoad: number }
  }
  interface Policies {
    Employee: typeof employeePolicy
  }
}

const Employee = resource('Employee', {
  table: 'employees',
  label: 'name',
  input: z.strictObject({
    name: field.string(),
    salary: field.integer().default(0),
    remark: field.string().default(''),
    featured: field.boolean().default(false),
  }),
  owner: 'user_id',
  version: true,
  sort: ['name', 'salary'],
  search: ['name', 'remark'],
  filters: { salary: filter.range(z.coerce.number()), featured: z.stringbool() },
})

const onlyAdmins: FieldRule<typeof Employee> = { see: (ctx) => ctx.hasRole('admin') }

const employeePolicy = policy(
  Employee,
  {
    canShow: () => true,
    canCreate: (ctx) => ctx.userId !== null,
    canUpdate: (ctx, { salary }) => ctx.userId !== null && salary < 1_000_000,
    canPromote: (ctx) => ctx.userId !== null,
    canBecome: () => true,
    canDelete: (ctx) => ctx.userId !== null,
  },
  {
    fields: fieldRules(Employee, {
      salary: {
        see: (ctx, employee) => ctx.hasRole('admin') || ctx.owns(employee.user_id),
        set: (ctx, _employee, action) => ctx.hasRole('admin') || action === 'promote',
      },
      remark: onlyAdmins,
      featured: { set: (ctx, { user_id }) => ctx.hasRole('admin') && user_id !== undefined },
      user_id: { set: (_ctx, { salary = 0 }) => salary >= 5_000 },
    }),
  },
)

const employees = repository(Employee, {
  api: '/api/employees',
  policy: employeePolicy,
  scope: scope(Employee, { where: (_ctx, is) => is.lit(true) }),
  updatedBy: ['promote'],
  finders: { named: (list, name: string) => list.findAll({ where: (is) => is('name', '=', name) }) },
})

const index: Handler = async (req, res) => {
  const query = listQuery(req, Employee)
  const list = employees.visibleTo(await policyContext(req))
  const page = await list.page(pageRequest(req), { query })
  const may = await abilities(req, Employee, page.content, ['update'])
  res.json({ page, mayUpdate: page.content.map((row) => may(row, 'update')) })
}
const store: Handler = async (req, res) => {
  const draft = record(req, Employee, 'create')
  const form = await storeForm(await formInput(req, Employee), async (input) =>
    employees.insert(await authorizeRecord(req, 'create', Employee, { ...draft, ...input })),
  )
  res.status(form.valid ? 201 : form.status).json(form)
}
const storeBody: Handler = async (req, res) => {
  const draft = await authorizeRecord(req, 'create', Employee, ...namedValues(req.body))
  res.status(201).json(await employees.insert(draft))
}
const update: Handler = async (req, res) => {
  const employee = record(req, Employee, 'update')
  const form = await storeForm(await formInput(req, Employee, employee), (input) =>
    employees.update(employee, input),
  )
  res.status(form.valid ? 200 : form.status).json(form)
}
const promote: Handler = async (req, res) =>
  void res.json(await employees.update(record(req, Employee, 'promote'), ...namedValues(req.body)))
/** What another request does between the decision of the route and the write of the handler. */
let meanwhile: () => Promise<unknown> = () => Promise.resolve()
const transfer: Handler = async (req, res) => {
  const employee = record(req, Employee, 'promote')
  await meanwhile()
  res.json(await employees.update(employee, ...namedValues(req.body)))
}
const copied: Handler = async (req, res) => {
  const id = Number(req.params['id'])
  const visible = await employees.visibleTo(await policyContext(req)).find(id)
  const shown = await authorizeRecord(req, 'show', Employee, id)
  const listed = await authorizeRecord(req, 'update', Employee, visible)
  res.json([visible, shown, listed].map((row) => ({ ...row, author: 'Ann' })))
}
const batches: Handler = async (req, res) => {
  const rows = []
  for await (const row of employees.visibleTo(await policyContext(req)).findEach(2)) rows.push(row)
  res.json(rows)
}
const copies: Handler = async (req, res) => {
  const rows = await employees.visibleTo(await policyContext(req)).findAll()
  await abilities(
    req,
    Employee,
    rows.map((row) => ({ ...row })),
    ['update'],
  )
  res.end()
}

const employeeRoutes = routes('/employees', {
  'GET /': [secured(), index],
  'GET /new': [
    secured(),
    authorize('create', Employee),
    (req, res) => void res.json(formFor(Employee, record(req, Employee, 'create'))),
  ],
  'POST /': [secured(), authorize('create', Employee), store],
  'POST /body': [secured(), authorize('create', Employee), jsonBody(), storeBody],
  'GET /batches': [secured(), batches],
  'GET /copies': [secured(), copies],
  'GET /:id': [
    secured(),
    load(Employee),
    authorize('show', Employee),
    authorize('update', Employee),
    (req, res) => void res.json([record(req, Employee, 'show'), record(req, Employee, 'update')]),
  ],
  'GET /:id/edit': [
    secured(),
    load(Employee),
    authorize('update', Employee),
    (req, res) => void res.json(formFor(Employee, record(req, Employee, 'update'))),
  ],
  'GET /:id/edit-shown': [
    secured(),
    load(Employee),
    authorize('update', Employee),
    authorize('show', Employee),
    (req, res) => void res.json(formFor(Employee, record(req, Employee, 'update'))),
  ],
  'GET /:id/copied': [secured(), copied],
  'PUT /:id': [secured(), load(Employee), authorize('update', Employee), update],
  'PUT /:id/transfer': [secured(), load(Employee), authorize('promote', Employee), jsonBody(), transfer],
  'PUT /:id/promotion': [secured(), load(Employee), authorize('promote', Employee), jsonBody(), promote],
})

const Gauge = resource('Gauge', { table: 'gauges', input: z.strictObject({ maxLoad: field.integer() }) })
const gauges = repository(Gauge, {
  api: '/api/gauges',
  policy: policy(
    Gauge,
    { canShow: () => true, canUpdate: () => true },
    { fields: fieldRules(Gauge, { maxLoad: { set: () => false } }) },
  ),
})

const lines: string[] = []
const testDb = await testDatabase()
const resources = [
  { repository: employees, routes: { employeeRoutes } },
  { repository: gauges },
  { repository: users },
]
const app = await testApp({
  database: testDb,
  log: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }),
  resources,
})
const admin = await app.newcomer({ roles: ['admin'] })
const owner = await app.newcomer()
const stranger = await app.newcomer()

beforeAll(() =>
  sql`create table employees (id bigint generated always as identity primary key, name text not null,
    user_id bigint not null, salary integer not null, remark text not null default '',
    featured boolean not null default false, version bigint not null default 1)`.execute(testDb.db),
)
beforeEach(async () => {
  lines.length = 0
  await sql`truncate employees`.execute(testDb.db)
})

type Employee = RowOf<typeof Employee>
const make = (values: Partial<Employee> = {}) =>
  app.within(() =>
    employees
      .asSystem('test')
      .insert({ name: 'Ann', user_id: owner.user.id, salary: 5_000, remark: 'Slow', ...values }),
  )
const stored = (id: number) => app.within(() => employees.asSystem('test').find(id))
const fieldsOf = (row: unknown) => Object.keys(row as object)

const ALL = ['id', 'name', 'salary', 'remark', 'featured', 'user_id', 'version']
const without = (...fields: string[]) => ALL.filter((name) => !fields.includes(name))

describe('a field that the caller does not see is absent', () => {
  const seen = async (path: (id: number) => string, pick: (json: never) => unknown) => {
    const { id } = await make()
    const callers = [admin, owner, stranger]
    const answers = await Promise.all(callers.map((caller) => caller.get(path(id))))
    return answers.map((answer) => fieldsOf(pick(answer.json() as never)))
  }
  const expected = [ALL, without('remark'), without('salary', 'remark')]

  it.each<[string, (id: number) => string, (json: never) => unknown]>([
    ['from the JSON of a record', (id) => `/api/employees/${id}`, (json) => json],
    ['from the JSON of a list', () => '/api/employees', ({ content: [row] }: { content: object[] }) => row],
    [
      'from an offset page',
      () => '/employees',
      ({ page }: { page: { content: object[] } }) => page.content[0],
    ],
    ['from a batch', () => '/employees/batches', ([row]: object[]) => row],
    ['from the record of a route', (id) => `/employees/${id}`, ([show]: object[]) => show],
    ['from a record with two decisions', (id) => `/employees/${id}`, ([, update]: object[]) => update],
  ])('%s', async (_where, path, pick) => {
    expect(await seen(path, pick)).toEqual(expected)
  })

  it('from the results of insert and update', async () => {
    const { id, version } = await make()
    const inserted = await stranger.post('/employees', { form: { name: 'Bob' } })
    expect(fieldsOf((inserted.json() as { stored: object }).stored)).toEqual(without('remark'))
    const form = { name: 'Ann B.', _version: String(version) }
    const updated = await stranger.put(`/employees/${id}`, { form })
    expect(fieldsOf((updated.json() as { stored: object }).stored)).toEqual(without('salary', 'remark'))
  })

  it('from finders and from the rows of a scope', async () => {
    await make()
    const ctx = contextOf(
      { id: '', userId: stranger.user.id, name: '', roles: [] },
      { registry: app.registry },
    )
    const [named] = await app.within(() => employees.visibleTo(ctx).named('Ann'))
    const [row] = await app.within(() => scoped(Employee, ctx).selectAll().execute())
    expect([named, row].map(fieldsOf)).toEqual([without('salary', 'remark'), without('salary', 'remark')])
  })

  it.each([
    'salary',
    'employees.salary',
    'to_jsonb(employees.*)',
    'employees::text',
    'max(salary)',
    '(employees).salary',
  ])('from raw SQL in a query of scoped: %s', async (text) => {
    await make({ salary: 4_321, remark: 'Quiet' })
    const session = { id: '', userId: stranger.user.id, name: '', roles: [] }
    const ctx = contextOf(session, { registry: app.registry })
    const query = () => scoped(Employee, ctx).clearSelect().select(sql.raw(text).as('found')).execute()
    const found = await app.within(query).catch((error: Error) => error.message)
    expect(JSON.stringify(found)).not.toMatch(/4321|Quiet/)
  })

  it('from the stored values of a conflict', async () => {
    const { id } = await make()
    const form = { name: 'Cid', _version: '0' }
    const answer = await stranger.put(`/employees/${id}`, { form })
    expect(answer.status).toBe(409)
    expect(answer.text).not.toMatch(/salary":5000|Slow/)
  })

  it('but rules, hooks and asSystem get all fields', async () => {
    await make({ salary: 2_000_000 })
    await make()
    const { mayUpdate } = (await stranger.get('/employees')).json() as { mayUpdate: boolean[] }
    expect(mayUpdate).toEqual([true, false])
  })

  it('from copies of the rows that a handler gets', async () => {
    const { id } = await make()
    const copies = async (caller: typeof admin) =>
      ((await caller.get(`/employees/${id}/copied`)).json() as object[]).map(fieldsOf)
    const [seen, complete] = [
      [...without('salary', 'remark'), 'author'],
      [...ALL, 'author'],
    ]
    expect(await copies(stranger)).toEqual([seen, seen, seen])
    expect(await copies(admin)).toEqual([complete, complete, complete])
    expect('find' in employees).toBe(false)
  })

  it('is an error if a rule would get a copy of the row', async () => {
    await make()
    expect((await stranger.get('/employees/copies')).status).toBe(500)
  })
})

describe('a list', () => {
  const names = async (caller: typeof admin, query: string) => {
    const { page } = (await caller.get(`/employees?${query}`)).json() as { page: { content: Employee[] } }
    return page.content.map(({ name }) => name)
  }
  beforeEach(async () => {
    await make({ name: 'Low', salary: 1, remark: 'Slow' })
    await make({ name: 'High', salary: 9, remark: 'Fast' })
  })

  it.each([
    ['sort=salary&dir=asc', ['Low', 'High']],
    ['sort=-salary,name', ['High', 'Low']],
    ['salary_to=5', ['Low']],
    ['q=slow', ['Low']],
  ])('uses %s only for callers who see the field in all rows', async (query, expected) => {
    expect(await names(admin, query)).toEqual(expected)
    // The owner sees each salary of this list, but not every salary.
    for (const caller of [owner, stranger])
      expect(await names(caller, query)).toEqual(query === 'q=slow' ? [] : ['High', 'Low'])
  })

  it('are unknown to the API for callers who do not see the field in all rows', async () => {
    const get = async (caller: typeof admin, query: string) => caller.get(`/api/employees?${query}`)
    for (const query of ['sort=salary', 'salary_to=5']) {
      expect((await get(admin, query)).status).toBe(200)
      const answer = await get(stranger, query)
      const [error] = (answer.json() as { errors: { messages: string[] }[] }).errors
      expect([answer.status, error?.messages[0]]).toEqual([400, expect.stringContaining('Valid')])
      expect(error?.messages[0]).not.toContain('salary')
    }
  })

  it('orders rows with the same name by an unseen field only for callers who see it in all rows', async () => {
    const rows = [await make({ name: 'Same', salary: 9 }), await make({ name: 'Same', salary: 1 })]
    const ids = async (caller: typeof admin) => {
      const answer = await caller.get('/employees?sort=name,salary&dir=asc&q=same')
      return (answer.json() as { page: { content: Employee[] } }).page.content.map(({ id }) => id)
    }
    const inserted = rows.map(({ id }) => id)
    expect(await ids(admin)).toEqual(inserted.toReversed())
    expect(await ids(stranger)).toEqual(inserted)
  })

  it('still sorts and searches by the other fields', async () => {
    expect(await names(stranger, 'sort=salary,name&dir=asc&q=o')).toEqual(['Low'])
    expect(await names(stranger, 'sort=salary,name&dir=asc')).toEqual(['High', 'Low'])
  })
})

describe('a field that the caller may not set', () => {
  it.each([
    ['salary', 1],
    ['salary', 5_000],
    ['remark', 'Slow'],
    ['featured', true],
  ])('%s=%j is refused with a 422 that names it, and writes nothing', async (name, value) => {
    const before = await make()
    const path = `/api/employees/${before.id}`
    const answers = await Promise.all([
      stranger.put(path, { json: { name: 'Eve', [name]: value }, headers: { 'If-Match': '*' } }),
      stranger.put(`/employees/${before.id}`, {
        form: { name: 'Eve', [name]: String(value), _version: '1' },
      }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([422, 422])
    const message = ['You don’t have permission to set this field.']
    expect(answers[0].json()).toMatchObject({ errors: [{ field: name, messages: message }] })
    expect(answers[1].json()).toMatchObject({ errors: { [name]: message } })
    expect(await stored(before.id)).toEqual(before)
  })

  it('may be sent with the value that the caller sees', async () => {
    const { id } = await make()
    const json = { name: 'Ann B.', salary: 5_000, featured: false }
    const answer = await owner.put(`/api/employees/${id}`, { json, headers: { 'If-Match': '*' } })
    expect([answer.status, await stored(id)]).toMatchObject([200, { name: 'Ann B.', salary: 5_000 }])
  })

  it('is refused in a new record, and keeps its default', async () => {
    const refused = await stranger.post('/api/employees', { json: { name: 'Bob', featured: true } })
    expect([refused.status, refused.json()]).toMatchObject([422, { errors: [{ field: 'featured' }] }])
    const created = await stranger.post('/api/employees', { json: { name: 'Bob' } })
    expect(created.status).toBe(201)
    const { id } = created.json() as { id: number }
    expect(await stored(id)).toMatchObject({ salary: 0, remark: '', featured: false })
  })

  it('is refused among the values that a handler passes for a new record', async () => {
    const json = { name: 'Bob', salary: 5_000 }
    const headers = { accept: 'application/json' }
    const refused = await stranger.post('/employees/body', { json, headers })
    expect([refused.status, refused.json()]).toMatchObject([422, { errors: [{ field: 'salary' }] }])
    expect(await app.within(() => employees.asSystem('test').count())).toBe(0)
    expect((await admin.post('/employees/body', { json })).status).toBe(201)
  })

  it('is decided about a new record with its owner', async () => {
    const created = await admin.post('/api/employees', { json: { name: 'Bob', featured: true } })
    expect([created.status, created.json()]).toMatchObject([201, { featured: true }])
  })

  it('is left out of forms, and an unchecked box changes nothing', async () => {
    const { id } = await make({ featured: true })
    const paths = [`/employees/${id}/edit`, `/employees/${id}/edit-shown`, '/employees/new']
    const forms = paths.flatMap((path) =>
      [admin, stranger].map(async (caller) => (await caller.get(path)).json()),
    )
    const omitted = ['salary', 'remark', 'featured']
    expect(await Promise.all(forms)).toMatchObject([
      {},
      { omitted },
      {},
      { omitted },
      {},
      { omitted: expect.arrayContaining(omitted) },
    ])
    const form = { name: 'Ann B.', _version: '1' }
    const answer = await stranger.put(`/employees/${id}`, { form })
    expect([answer.status, await stored(id)]).toMatchObject([200, { name: 'Ann B.', featured: true }])
    const twice = await stranger.put(`/employees/${id}`, { form })
    expect(twice.status).toBe(200)
  })

  it('stays left out of a form with errors', async () => {
    const { id } = await make()
    const answer = await stranger.put(`/employees/${id}`, { form: { name: '', _version: '1' } })
    expect([answer.status, answer.json()]).toMatchObject([422, { omitted: ['salary', 'remark', 'featured'] }])
  })

  it('is refused by the write itself, which knows the action', async () => {
    const { id } = await make()
    const send = (json: object) => stranger.put(`/employees/${id}/promotion`, { json })
    expect((await send({ remark: 'Great' })).status).toBe(422)
    expect((await send({ salary: 6_000 })).status).toBe(200)
    expect(await stored(id)).toMatchObject({ salary: 6_000, remark: 'Slow' })
  })

  it('is logged as a denial, with the field as its reason', async () => {
    const { id } = await make()
    await stranger.put(`/api/employees/${id}`, { json: { salary: 1 }, headers: { 'If-Match': '*' } })
    await stranger.put(`/employees/${id}/promotion`, { json: { remark: 'Great' } })
    const events = lines.map((line) => JSON.parse(line) as object).filter((line) => 'event' in line)
    const denial = { event: 'denied', action: 'set', resource: 'Employee', id, actor: stranger.user.id }
    expect(events).toMatchObject([
      { ...denial, reason: 'salary' },
      { ...denial, reason: 'remark' },
    ])
  })

  it('may have a name in camel case', async () => {
    await sql`create table gauges (id bigint primary key, "maxLoad" integer not null)`.execute(testDb.db)
    await sql`insert into gauges values (1, 5)`.execute(testDb.db)
    const answer = await stranger.put('/api/gauges/1', { json: { maxLoad: 6 } })
    expect([answer.status, answer.json()]).toMatchObject([422, { errors: [{ field: 'maxLoad' }] }])
  })

  it('is decided about the row at the time of the write', async () => {
    const { id } = await make()
    meanwhile = () => sql`update employees set salary = 2, version = version + 1`.execute(testDb.db)
    const answer = await stranger.put(`/employees/${id}/transfer`, { json: { user_id: stranger.user.id } })
    expect([answer.status, await stored(id)]).toMatchObject([422, { user_id: owner.user.id }])
  })

  it('can be set by callers whom the rule allows', async () => {
    const { id } = await make()
    const json = { salary: 1, remark: 'New', featured: true }
    const answer = await admin.put(`/api/employees/${id}`, { json, headers: { 'If-Match': '*' } })
    expect([answer.status, answer.json()]).toMatchObject([200, json])
  })
})

describe('field rules', () => {
  it('make the field optional in the rows of callers, and only there', () => {
    const list = () => employees.visibleTo(contextOf(null)).findAll()
    expectTypeOf<Awaited<ReturnType<typeof list>>[number]['salary']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Awaited<ReturnType<typeof list>>[number]['remark']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Awaited<ReturnType<typeof list>>[number]['featured']>().toEqualTypeOf<boolean>()
    const find = () => employees.asSystem('test').find(1)
    expectTypeOf<NonNullable<Awaited<ReturnType<typeof find>>>['salary']>().toEqualTypeOf<number>()
  })

  it('leave the rows of callers usable in a form with other fields', () => {
    const renaming = recordForm(Employee, {
      schema: z.strictObject({ name: z.string() }),
      valuesOf: ({ name }) => ({ name }),
    })
    const rename: Handler = async (req) => {
      const employee = record(req, Employee, 'update')
      renaming.show(employee)
      await storeForm(await renaming.read(req, employee), (input) =>
        employees.update(employee, input, { set: ['name'] }),
      )
    }
    expectTypeOf(rename).toBeFunction()
  })

  it('are read by maySeeField without a row', () => {
    const ctx = (roles: string[]) =>
      contextOf({ id: '', userId: owner.user.id, name: '', roles }, { registry: app.registry })
    const seen = (roles: string[]) =>
      (['name', 'salary', 'remark', 'featured'] as const).filter((name) =>
        maySeeField(ctx(roles), Employee, name),
      )
    expect([seen(['admin']), seen([])]).toEqual([
      ['name', 'salary', 'remark', 'featured'],
      ['name', 'featured'],
    ])
  })

  it.each<[string, (row: RowOf<typeof Employee>) => boolean]>([
    ['a check of its columns', (row) => !Object.hasOwn(row, 'closed')],
    ['a check of its fields', (row) => !('featured' in row)],
    ['the names of its fields', (row) => !Object.keys(row).includes('featured')],
    ['a copy', (row) => !{ ...row }.featured],
    ['a check of its class', (row) => !(row instanceof Map)],
    [
      'a read that it catches',
      (row) => {
        try {
          return row.salary > 0
        } catch {
          return true
        }
      },
    ],
    [
      'a read whose error it replaces',
      (row) => {
        try {
          return row.salary > 0
        } catch (cause) {
          throw new TypeError('No salary.', { cause })
        }
      },
    ],
  ])('with %s depend on the row', (_reading, see) => {
    const reading = policy(
      Employee,
      {},
      { fields: fieldRules(Employee, { salary: { see: (_ctx, row) => see(row) } }) },
    )
    const registry = { policies: new Map([[Employee, reading]]), scopes: new Map() }
    expect(maySeeField(contextOf(null, { registry }), Employee, 'salary')).toBe(false)
  })

  it('refuse unknown fields and unseen columns when they are compiled', () => {
    const misspelt = () => [
      // @ts-expect-error a field that is not a column
      policy(Employee, {}, { fields: fieldRules(Employee, { wage: { see: () => true } }) }),
      // @ts-expect-error a rule that returns no boolean
      policy(Employee, {}, { fields: fieldRules(Employee, { salary: { see: () => 1 } }) }),
      // @ts-expect-error a field that not every caller sees
      scoped(Employee, contextOf(null)).select('salary'),
    ]
    expectTypeOf(misspelt).toBeFunction()
  })

  it.each([
    [{ salary: {} }, 'Employee: fields.salary needs a function see, a function set, or both.'],
    [{ salary: { see: true } }, 'Employee: fields.salary needs a function see, a function set, or both.'],
    [{ salary: { show: () => true, see: () => true } }, 'Employee: fields.salary needs'],
    [{ name: { see: () => true } }, "Employee: lists and links show 'name'"],
    [{ id: { see: () => true } }, "Employee: lists and links show 'id'"],
  ])('%o don’t start', (fields, message) => {
    expect(() => policy(Employee, {}, { fields: fieldRules(Employee, fields as never) })).toThrow(message)
  })

  it('of another resource don’t start', () => {
    const ofNotes = fieldRules(Note, { body: { set: () => false } })
    expect(() => policy(Employee, {}, { fields: ofNotes })).toThrow(
      'Employee: fields has no rules of this resource.',
    )
    expect(() => policy(Employee, {}, { fields: { salary: { set: () => false } } as never })).toThrow(
      'Pass fieldRules',
    )
  })

  it('refuse a cursor over a field that not every caller sees', () => {
    expect(() => repository(Employee, { policy: employeePolicy, order: '-salary' })).toThrow(
      "Employee: not every caller sees 'salary', and a cursor would show it.",
    )
    expect(() => repository(Employee, { policy: employeePolicy, order: 'name,remark' })).toThrow(
      "Employee: not every caller sees 'remark', and a cursor would show it.",
    )
    const settable = repository(Employee, { policy: employeePolicy, order: '-featured' })
    expect(settable.options.order).toBe('-featured')
  })

  it.each([[undefined], [1], [Promise.resolve(true)]])('that return %o are an error', async (answer) => {
    const broken = policy(
      Employee,
      {},
      { fields: fieldRules(Employee, { salary: { see: () => answer as never } }) },
    )
    const registry = { policies: new Map([[Employee, broken]]), scopes: new Map() }
    const ctx = contextOf(null, { registry })
    expect(() => maySeeField(ctx, Employee, 'salary')).toThrow(
      'Employee: the rule fields.salary.see returned neither true nor false. It must not be async.',
    )
    await Promise.resolve()
  })
})
