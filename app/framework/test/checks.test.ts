import { type Generated, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { field, policy, repository, resource, scope } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { resources } from './fixtures/resources.ts'
import { testApp } from './fixtures/test-app.ts'

declare module 'pergola' {
  interface Tables {
    trips: { id: Generated<number>; title: string; from_day: string; to_day: string }
  }
}

const Trip = resource('Trip', {
  table: 'trips',
  input: z.strictObject({ title: field.string(), from_day: field.date(), to_day: field.date() }),
  checks: { trips_days: { field: 'to_day', message: 'Choose a day after the first one.' } },
})
const trips = repository(Trip, {
  api: '/api/trips',
  policy: policy(Trip, { canShow: () => true, canCreate: () => true, canUpdate: () => true }),
  scope: scope(Trip, { where: (_ctx, is) => is.lit(true) }),
})
const database = await testDatabase()
const app = await testApp({ database, resources: [...resources, { repository: trips }] })
const user = await app.newcomer()
const values = { title: 'Rome', from_day: '2026-05-02', to_day: '2026-05-09' }
const stored = () => app.within(() => trips.asSystem('a test').findAll())

beforeAll(async () => {
  await sql`create table trips (id bigint generated always as identity primary key, title text not null,
    from_day date not null, to_day date not null,
    constraint trips_days check (to_day > from_day), constraint trips_title check (title <> 'Atlantis'))`.execute(
    database.db,
  )
})

describe('the checks of a resource', () => {
  it('are errors of a field in the API, also for an update of another column', async () => {
    const error = { errors: [{ field: 'to_day', messages: ['Choose a day after the first one.'] }] }
    const refused = await user.post('/api/trips', { json: { ...values, to_day: '2026-05-01' } })
    expect([refused.status, refused.json()]).toMatchObject([422, error])
    const created = await user.post('/api/trips', { json: values })
    const path = created.headers.get('location') ?? ''
    const changed = await user.put(path, { json: { from_day: '2026-05-10' } })
    expect([changed.status, changed.json()]).toMatchObject([422, error])
    expect(await stored()).toMatchObject([values])
  })

  it('leave other checks to the error page', async () => {
    const refused = await user.post('/api/trips', { json: { ...values, title: 'Atlantis' } })
    expect([refused.status, refused.json()]).toMatchObject([422, { errors: [{ field: '' }] }])
  })
})

void (() =>
  resource('Trip', {
    table: 'trips',
    input: Trip.input,
    // @ts-expect-error -- the id is no field of the input
    checks: { trips_days: { field: 'id', message: 'Choose a day after the first one.' } },
  }))
