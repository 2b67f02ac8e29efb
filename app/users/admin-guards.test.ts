import { describe, expect, it } from 'vitest'
import { readConfig } from '#app/config.ts'
import { routeTables } from '#app/pages.ts'
import { resources } from '#app/resources.ts'
import { adminGuards } from './admin-guards.ts'

describe('adminGuards', () => {
  it('protect each route that needs the role admin', () => {
    const tables = routeTables(readConfig({ NODE_ENV: 'test' }), resources)
    const routes = tables.flatMap(({ base, table }) =>
      Object.entries(table).map(([key, [access, ...steps]]) => ({ name: `${base} ${key}`, access, steps })),
    )
    const ofAdmins = routes.filter(({ access }) => access.roles.includes('admin'))
    const [, confirmed] = adminGuards
    const unconfirmed = ofAdmins.filter(({ steps }) => !steps.includes(confirmed))
    expect(unconfirmed.map(({ name }) => name)).toEqual([])
    expect(new Set(ofAdmins.map(({ name }) => name.split(' ')[0]))).toEqual(
      new Set(['/background-jobs', '/security-events', '/users']),
    )
  })
})
