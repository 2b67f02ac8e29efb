import { describe, expect, it } from 'vitest'
import { quickProject } from '../../test-support/quick-project.ts'

const { project, read, run } = await quickProject({ gadget: 'title' })

const RESOURCE = 'app/gadgets/gadget.ts'
const migrationOf = async (command: string) => {
  const { migrations } = await run(command)
  return read(`app/db/migrations/${migrations[0]}.ts`)
}

describe('a field of type enum[]', () => {
  it('is an array with checkboxes, badges and a filter', async () => {
    const migration = await migrationOf('gadget title days:enum[]{mon,tue}')
    expect(migration).toContain(
      "addColumn('days', sql`text[]`, (column) => column.notNull().defaultTo(sql`'{}'`))",
    )
    expect(migration).toContain("addCheckConstraint('gadgets_days_values', sql`days <@ array['mon', 'tue']`)")
    expect(migration).toContain(
      "createIndex('gadgets_days_filter').on('gadgets').using('gin').column('days')",
    )
    expect(read(RESOURCE)).toContain('days: arrayField.choices(DAYS).default([]),')
    expect(read(RESOURCE)).toContain("days: arrayFilter.some(field.enum(DAYS), { label: 'Days' })")
    expect(read('views/gadgets/_form.eta')).toContain(
      "type: 'checkboxes', options: [['mon', 'Mon'], ['tue', 'Tue']]",
    )
    expect(read('views/gadgets/show.eta')).toContain('<% if (gadget.days.length > 0) { %>')
  })
})

describe('a field of type string[]', () => {
  it('is an array with a textarea', async () => {
    const migration = await migrationOf('gadget title labels:string[]{5}')
    expect(migration).toContain('cardinality(labels) <= 5 and array_position(labels, null) is null')
    expect(read(RESOURCE)).toContain('labels: arrayField.lines({ max: 5 }).default([]),')
    expect(read('views/gadgets/_form.eta')).toContain("rows: 4, hint: 'One per line, up to 5.'")
    expect(
      (await run('gadget title labels:string[]:max(5)')).steps.every(({ verb }) => verb !== 'keep'),
    ).toBe(true)
  })

  it('is added to a resource', async () => {
    await run('gadget title')
    const migration = await migrationOf('gadget labels:string[]')
    expect(migration).toContain(
      "addColumn('labels', sql`text[]`, (column) => column.notNull().defaultTo(sql`'{}'`))",
    )
  })

  it.each([
    ['labels:string[]?', 'A record may have no values: remove ? or :null.'],
    ['labels:string[]^', 'Several records may have the same values'],
    ['labels:string[]:index', 'The filter has an index'],
    ['labels:string[]{0}', 'Write the largest number of values, from 1 to 100: {5}.'],
    ['labels:string[]{1..5}', 'Write the largest number of values'],
    ['labels:string[]=a', "can't have a default"],
    ['labels:strings', 'string[]'],
    ['days:enum[]', 'An enum needs its values'],
    ['days:enum[]{mon,tue}?', 'A record may have no values'],
  ])('rejects %s', async (field, problem) => {
    const written = project.files()
    await expect(run(`gadget title ${field}`)).rejects.toThrow(problem)
    expect(project.files()).toEqual(written)
  })
})
