import type { Generated } from 'kysely'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { field, repository, resource } from 'pergola'
import { registryOfResources } from 'pergola/app'

interface BodyTable {
  id: Generated<number>
  account_id: number
  name: string
  lead_id: number | null
}

declare module 'pergola' {
  interface Tables {
    orbits: BodyTable
    comets: BodyTable
    moons: BodyTable
    tides: BodyTable
    reefs: BodyTable
  }
}

const input = z.strictObject({ name: field.string(), lead_id: field.reference().nullable() })

describe('references', () => {
  const Orbit = resource('Orbit', {
    table: 'orbits',
    input,
    columns: ['account_id'],
    references: { lead_id: 'comets' },
  })

  it('throws for a table without a resource, when it is read and at the start', () => {
    const message =
      'Orbit.lead_id refers to the table comets, which belongs to no resource that was imported. List the resource in app/resources.ts.'
    expect(() => Orbit.references['lead_id']).toThrow(message)
    expect(() => registryOfResources([{ repository: repository(Orbit) }])).toThrow(message)
  })

  it('are those of two resources that refer to each other', () => {
    const Comet = resource('Comet', {
      table: 'comets',
      input,
      columns: ['account_id'],
      references: { lead_id: Orbit },
    })
    expect(Object.values(Orbit.references)).toEqual([Comet])
    expect(Object.values(Comet.references)).toEqual([Orbit])
    expect(() => registryOfResources([{ repository: repository(Orbit) }])).not.toThrow()
  })

  it('lead to the resource itself', () => {
    const Moon = resource('Moon', {
      table: 'moons',
      input,
      columns: ['account_id'],
      references: { lead_id: 'self' },
    })
    expect(Moon.references['lead_id']).toBe(Moon)
  })

  it('reject a target that hides the tenant, when it is read', () => {
    const options = { tenant: 'account_id', input, references: { lead_id: 'reefs' } } as const
    const Tide = resource('Tide', { table: 'tides', ...options })
    resource('Reef', { table: 'reefs', input, hidden: ['account_id'] })
    expect(() => Tide.references['lead_id']).toThrow("Reef hides 'account_id'")
  })

  it('name tables that exist', () => {
    // @ts-expect-error No table has this name.
    const misspelt = () => resource('X', { table: 'moons', input, references: { lead_id: 'moonz' } })
    expect(misspelt).toThrow('already exists')
  })
})
