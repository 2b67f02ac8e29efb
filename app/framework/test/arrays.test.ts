import { type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { decodeForm } from '../src/http/views/form.ts'
import { missingIndexes } from '../src/application/missing-indexes.ts'
import { field, policy, repository, resource, scope } from 'pergola'
import { arrayField, arrayFilter, history } from 'pergola/features'
import { testDatabase } from 'pergola/testing'
import { resources } from './fixtures/resources.ts'
import { testApp } from './fixtures/test-app.ts'

const DAYS = ['mon', 'tue', 'wed'] as const

declare module 'pergola' {
  interface Tables {
    rosters: {
      id: Generated<number>
      title: string
      days: Generated<readonly (typeof DAYS)[number][]>
      labels: Generated<readonly string[]>
      version: Generated<number>
    }
  }
}

const shape = {
  title: field.string(),
  days: arrayField.choices(DAYS).default([]),
  labels: arrayField.lines({ max: 3 }).default([]),
}
const Roster = resource('Roster', {
  table: 'rosters',
  input: z.strictObject(shape),
  filters: {
    days: arrayFilter.some(field.enum(DAYS), { label: 'Days' }),
    labels: arrayFilter.all(field.string()),
  },
  version: true,
})
const rosters = repository(Roster, {
  api: '/api/rosters',
  policy: policy(Roster, {
    canShow: () => true,
    canCreate: () => true,
    canUpdate: () => true,
    canDelete: () => true,
  }),
  scope: scope(Roster, { where: (_ctx, is) => is.lit(true) }),
  features: [history],
})
const database = await testDatabase()
const declared = [...resources, { repository: rosters }]
const app = await testApp({ database, resources: declared })
const user = await app.newcomer()
const system = rosters.asSystem('a test')
const make = (values: object) => app.within(() => system.insert({ title: 'A', ...values }))

beforeAll(async () => {
  await sql`create table rosters (id bigint generated always as identity primary key, title text not null,
    days text[] not null default '{}', labels text[] not null default '{}', version integer not null default 1)`.execute(
    database.db,
  )
})

describe('arrayField', () => {
  it('reads checkboxes and lines of a form: each value once', () => {
    const read = (typed: object) =>
      z.strictObject(shape).parse(decodeForm(Roster.input, { title: 'A', ...typed }))
    expect(read({})).toEqual({ title: 'A', days: [], labels: [] })
    expect(read({ days: ['tue', 'mon', 'tue'], labels: ' b \r\n\r\na\r\nb' })).toMatchObject({
      days: ['mon', 'tue'],
      labels: ['b', 'a'],
    })
    expect(read({ days: 'wed', labels: '' })).toMatchObject({ days: ['wed'], labels: [] })
  })

  it.each([
    ['days', 'sun', 'Choose one of mon, tue, wed.'],
    ['days', ['mon', null], 'Choose one of mon, tue, wed.'],
    ['labels', 'a\nb\nc\nd', 'Use 3 values or fewer.'],
    ['labels', 'x'.repeat(256), 'Use 255 characters or fewer.'],
    ['labels', ['x'.repeat(256), 'y'.repeat(256)], 'Use 255 characters or fewer.'],
    ['labels', 7, 'Send a list of texts.'],
    ['labels', [['a']], 'Enter a value.'],
    ['labels', ['a\ud800'], 'Remove the invisible or broken character: it can’t be stored.'],
  ])('rejects %s=%j with a message', async (column, value, message) => {
    const answer = await user.post('/api/rosters', {
      json: { title: 'A', [column]: column === 'days' ? [value].flat() : value },
    })
    expect([answer.status, answer.json()]).toMatchObject([
      422,
      { errors: [{ field: column, messages: [message] }] },
    ])
  })

  it('stores the values, and changes the record only if they differ', async () => {
    const created = await user.post('/api/rosters', {
      json: { title: 'A', days: ['tue', 'mon'], labels: ['b"', 'a,{}'] },
    })
    expect(created.json()).toMatchObject({ days: ['mon', 'tue'], labels: ['b"', 'a,{}'], version: 1 })
    const path = created.headers.get('location') ?? ''
    const etag = created.headers.get('etag') ?? ''
    const put = (json: object, version: string) => user.put(path, { json, headers: { 'if-match': version } })
    const same = await put({ days: ['mon', 'tue', 'mon'] }, etag)
    expect(same.json()).toMatchObject({ version: 1 })
    const changed = await put({ days: [] }, same.headers.get('etag') ?? '')
    expect(changed.json()).toMatchObject({ days: [], labels: ['b"', 'a,{}'], version: 2 })
    const { id } = changed.json() as { id: number }
    const { content } = await app.within(() => system.history(id))
    expect(content[0]?.changes).toMatchObject([{ field: 'days', from: ['mon', 'tue'], to: [] }])
  })

  it('stores the values of many records', async () => {
    const rows = await app.within(async () => {
      await system.saveMany([
        { title: 'Many', days: ['mon'], labels: ['x'] },
        { title: 'Many', days: [], labels: ['y', 'z'] },
      ])
      const stored = await system.findAll({ where: (is) => is('title', '=', 'Many') })
      await system.upsertMany(
        stored.map(({ id, version, days }) => ({ id, version, days: [...days, 'wed'] as const })),
        { columns: ['days'] },
      )
      return system.findAll({ where: (is) => is('title', '=', 'Many') })
    })
    expect(rows.map(({ id: _id, ...row }) => row)).toEqual([
      { title: 'Many', days: ['wed'], labels: ['y', 'z'], version: 2 },
      { title: 'Many', days: ['mon', 'wed'], labels: ['x'], version: 2 },
    ])
  })
})

describe('arrayFilter', () => {
  it('lists the records with some or with all of the values', async () => {
    const [one, other] = [
      await make({ title: 'F', days: ['mon'], labels: ['p', 'q'] }),
      await make({ title: 'F', days: ['wed'], labels: ['p'] }),
    ]
    const ids = async (query: string) => {
      const { content } = (await user.get(`/api/rosters?${query}&size=100`)).json() as {
        content: { id: number }[]
      }
      return [one, other].map(({ id }) => content.some((row) => row.id === id))
    }
    expect(await ids('days=mon&days=tue')).toEqual([true, false])
    expect(await ids('days=mon&days=wed')).toEqual([true, true])
    expect(await ids('labels=p&labels=q')).toEqual([true, false])
    expect(await ids('labels=p')).toEqual([true, true])
  })

  it('needs a GIN index', async () => {
    const missing = async () => {
      const all = await missingIndexes([{ repository: rosters }], database.db)
      return all.map(({ remedies }) => remedies).flat()
    }
    const remedies = await missing()
    expect(remedies).toEqual([
      'create index concurrently rosters_days_filter on rosters using gin (days)',
      'create index concurrently rosters_labels_filter on rosters using gin (labels)',
    ])
    for (const remedy of remedies) await sql.raw(remedy).execute(database.db)
    expect(await missing()).toEqual([])
  })
})
