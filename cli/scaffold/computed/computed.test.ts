import { describe, expect, it } from 'vitest'
import { quickProject } from '../../test-support/quick-project.ts'
import { computedRenamed } from '../changes/changed-expressions.ts'
import { columnsIn, expressionSql, renamedIn } from './expression.ts'

const { project, read, run } = await quickProject({ gadget: 'title' })

const RESOURCE = 'app/gadgets/gadget.ts'
const FIELDS = 'title price:decimal quantity:integer'
const migrationOf = async (command: string) => {
  const { migrations } = await run(command)
  return read(`app/db/migrations/${migrations[0]}.ts`)
}

describe('columnsIn', () => {
  it.each([
    ["title||', '||coalesce(note,'none')", ['title', 'note']],
    ["case when title='it''s price' then cost::numeric else 0.5e3 end", ['title', 'cost']],
    ['round( (a - b) * 2, 1 )', ['a', 'b']],
    ['cast(price as numeric(10,2)) + cast (fee AS double precision)', ['price', 'fee']],
    ['order||\' order \'||"end"||case when user then as_of end', ['order', 'end', 'user', 'as_of']],
  ])('returns the columns in %s', (expression, names) => {
    expect(columnsIn(expression)).toEqual(names)
  })
})

describe('expressionSql', () => {
  it('puts columns with the name of a keyword in quotes, but no text, no function and no type', () => {
    expect(expressionSql('user||\' user \'||left("left",2)||cast(order as text)||price::text')).toBe(
      `"user"||' user '||left("left",2)||cast("order" as text)||price::text`,
    )
  })
})

describe('renamedIn', () => {
  it('puts a name in quotes that is a keyword of expressions', () => {
    expect(renamedIn('until-start', 'until', 'end')).toBe('"end"-start')
    expect(renamedIn('"end"-cast(start as date)', 'end', 'until')).toBe('"until"-cast(start as date)')
  })
})

describe('computedRenamed', () => {
  it('renames the column, but no text in quotes, no function and no type', () => {
    const token = "label:string:as(price||' price '||price(price)||cost::price)"
    expect(computedRenamed(token, 'price', 'fee')).toBe(
      "label:string:as(fee||' price '||price(fee)||cost::price)",
    )
  })
})

describe('a computed field', () => {
  it('is a stored column that Postgres computes, and that clients can’t write', async () => {
    const migration = await migrationOf(`gadget ${FIELDS} total:decimal:as(price*quantity)`)
    expect(migration).toMatch(/generatedAlwaysAs\(sql`price\*quantity`\)\s+\.stored\(\)\s+\.notNull\(\)/)
    expect(migration).toContain("createIndex('gadgets_total_sort')")
    expect(migration).not.toContain('gadgets_total_range')
    const resource = read(RESOURCE)
    expect(resource).toContain("import type { ColumnType, Generated, GeneratedAlways } from 'kysely'")
    expect(resource).toContain('total: GeneratedAlways<string>')
    expect(resource).toContain("columns: ['total', 'created_at']")
    expect(resource).not.toContain('total: field.')
    expect(resource).toContain('total: filter.range(field.decimal())')
    expect(read('views/gadgets/_form.eta')).not.toContain('total')
    expect(read('views/gadgets/show.eta')).toContain('gadget.total')
    for (const part of ['factory', 'seed'])
      expect(read(`app/gadgets/gadget.${part}.ts`)).not.toContain('total')
  })

  it('is computed from a column with the name of a keyword', async () => {
    const migration = await migrationOf('gadget title order:integer total:integer:as(order*2)')
    expect(migration).toContain('generatedAlwaysAs(sql`"order"*2`)')
  })

  it('is added to a resource', async () => {
    await run(`gadget ${FIELDS}`)
    const migration = await migrationOf('gadget total:decimal:as(price*quantity)')
    expect(migration).toMatch(
      /addColumn\('total', 'numeric\(12, 2\)'[^]*generatedAlwaysAs\(sql`price\*quantity`\)/,
    )
    expect(migration).not.toContain('Existing rows')
  })

  it.each([
    'total:decimal:as(round((price-1)*(quantity+2),2))',
    'total:integer?:as(char_length(note))',
    'total:integer:as(char_length(coalesce(note,title)))',
    "'total:boolean:as(quantity>0 and price::float8<5)'",
    "'total:string:as(cast(quantity as text))'",
    'end:integer total:integer:as("end"-quantity)',
    "end:integer 'total:integer:as(case when quantity>1 then 1 else 2 end)'",
    'order:integer? total:integer:as(coalesce("order",0))',
  ])('accepts %s', async (fields) => {
    const { model } = await run(`gadget ${FIELDS} note:string? ${fields}`, { dryRun: true })
    expect(model.fields.at(-1)?.computed).toBeTruthy()
  })

  it.each([
    ['total:decimal:as(cost*quantity)', 'Unknown field cost.'],
    ['total:decimal:as()', 'Write the expression'],
    ['total:decimal:as(price;1)', 'Write one expression of SQL'],
    ['total:decimal:as(price--1)', 'Write one expression of SQL'],
    ['total:decimal:as(price*`x`)', 'Write one expression of SQL'],
    ['total:decimal:as(price)^', 'Postgres computes the value: remove this.'],
    ['total:decimal=3:as(price)', 'decimal'],
    ['total:decimal?:as(price):private', 'Postgres computes the value'],
    ['total:json:as(price)', "A field of type json can't be computed"],
    ['total:integer:as(char_length(note))', 'note may be empty, so total may be'],
    ["total:string:as(note||coalesce(title,''))", 'note may be empty, so total may be'],
    ["total:string:as(note||coalesce(note,''))", 'note may be empty, so total may be'],
    ['total:decimal:as(price) double:decimal:as(total*2)', 'total is computed too'],
    ['total:decimal:as(total)', 'total is computed too'],
    ['total:decimal:as(price', 'never closed'],
    ['end:integer total:integer:as(end-quantity)', 'write "end" for the column.'],
    ["'total:string:as(cast(cost as text))'", 'Unknown field cost.'],
  ])('rejects %s', async (fields, problem) => {
    const written = project.files()
    await expect(run(`gadget ${FIELDS} note:string? ${fields}`)).rejects.toThrow(problem)
    expect(project.files()).toEqual(written)
  })
})
