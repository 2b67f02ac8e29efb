import { sql } from 'kysely'
import { attackRoutes, recordFigures, routeAttacks } from 'pergola/lab'
import { describe, expect, it } from 'vitest'
import { abuseBed } from './abuse-bed.ts'

const { app, server, insider, makers, secrets } = await abuseBed()

describe('every route', () => {
  it.for(Object.entries(routeAttacks))('withstands %s', async ([, attack], test) => {
    const { requests, problems } = await attackRoutes(app, attack, { insider, makers, secrets })
    recordFigures(test, { requests, failed: problems.length })
    expect(problems).toEqual([])
    expect(requests).toBeGreaterThan(0)
    expect(await admins(), 'the only admin').toEqual([{ id: insider.id }])
    expect(await recordsOfOthers(), 'records that the insider gave away').toEqual([])
    expect(server.isRunning(), `the output: ${server.output()}`).toBe(true)
  })
})

const admins = () =>
  app.db
    .selectFrom('users')
    .select('id')
    .where(sql<boolean>`'admin' = any(roles)`)
    .execute()

/** Returns the records that don't belong to the insider. All records of the attacks do at first. */
async function recordsOfOthers(): Promise<string[]> {
  const found: string[] = []
  for (const { table, owner } of app.resources.map(({ repository }) => repository.resource)) {
    if (owner === null) continue
    const others = sql<{
      id: unknown
    }>`select id from ${sql.table(table)} where ${sql.ref(owner)} <> ${insider.id}`
    const { rows } = await others.execute(app.db)
    found.push(...rows.map(({ id }) => `${table} ${String(id)}`))
  }
  return found
}
