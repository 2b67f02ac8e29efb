import { describe, expect, it } from 'vitest'
import { quickProject } from '../../test-support/quick-project.ts'

const { project, read, run } = await quickProject({ gadget: 'title', part: 'id' })

const migrationOf = async (command: string) => {
  const { migrations } = await run(command)
  return read(`app/db/migrations/${migrations[0]}.ts`)
}

describe('a field that is unique within others', () => {
  it('is the last column of a unique key', async () => {
    await run('gadget title')
    const migration = await migrationOf(
      'part number:integer:unique(gadget,year) year:integer gadget:references',
    )
    expect(migration).toContain(
      "addUniqueConstraint('parts_gadget_id_year_number_unique', ['gadget_id', 'year', 'number'])",
    )
    expect(migration).toContain("createIndex('parts_number_sort')")
    expect(migration).toContain("createIndex('parts_gadget_id')")
    expect(read('app/parts/part.test.ts')).toMatch(
      /rejects a number that is already taken[^]*make\(\{ number: 52, gadget_id: aGadget\.id, year: 51 \}\)/,
    )
  })

  it('is added before the fields of its key', async () => {
    await run('gadget title')
    const migration = await migrationOf('gadget slug:slug:null:unique(year) year:integer')
    expect(migration.indexOf("addColumn('year'")).toBeLessThan(migration.indexOf('addUniqueConstraint'))
  })

  it('is unique among the rows outside the trash', async () => {
    const migration = await migrationOf('gadget title slug:slug:unique(title) --soft-delete')
    expect(migration).toContain("createIndex('gadgets_title_slug_unique')")
    expect(migration).toContain('where(sql<boolean>`deleted_at is null`)')
  })

  it.each([
    ['slug:unique(colour)', 'Unknown field colour.'],
    ['slug:unique(slug)', 'Name the other fields of the key'],
    ['slug:unique(body) body:text?', 'make it required.'],
    ['slug:unique(fans) fans:many:user', 'choose a field with a column.'],
    ['done:boolean:unique(title)', "A boolean field can't be unique."],
    ['slug:unique()', 'Unknown field'],
  ])('rejects %s', async (fields, problem) => {
    const written = project.files()
    await expect(run(`gadget title ${fields}`)).rejects.toThrow(problem)
    expect(project.files()).toEqual(written)
  })
})
