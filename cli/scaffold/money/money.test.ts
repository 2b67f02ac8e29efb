import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { quickProject } from '../../test-support/quick-project.ts'
import { destroy } from '../destroy-resource.ts'

const { project, quick, read, run } = await quickProject({ gadget: 'title' })

const RESOURCE = 'app/gadgets/gadget.ts'
const FORM = 'views/gadgets/_form.eta'
const LIST = 'views/gadgets/index.eta'
const MIXED = 'title price:money(currency) currency:enum{EUR,JPY,USD}'
const CHECK = "sql`price = round(price, case currency when 'JPY' then 0 else 2 end)`"

const migrationOf = async (command: string) => {
  const { migrations } = await run(command)
  return read(`app/db/migrations/${migrations[0]}.ts`)
}

describe('an amount of one currency', () => {
  it.each([
    ['EUR', '(14, 2)', '0.01', '1.001'],
    ['JPY', '(12, 0)', '1', '1.1'],
    ['BHD', '(15, 3)', '0.001', '1.0001'],
  ])('has the decimal places of %s', async (code, digits, step, refused) => {
    expect(await migrationOf(`gadget title price:money{${code}}`)).toContain(`'price', 'numeric${digits}'`)
    expect(read(RESOURCE)).toContain(`price: field.decimal${digits},`)
    expect(read(FORM)).toContain(`step: '${step}', inputmode: 'decimal', unit: '${code}'`)
    expect(read(LIST)).toContain(`it.formatMoney(gadget.price, '${code}')`)
    expect(read('app/gadgets/gadget.test.ts')).toContain(`['price', '${refused}']`)
  })

  it('is a column at the end, a filter with its currency, and a range', async () => {
    const migration = await migrationOf('gadget title price:money{EUR}{0..100}')
    expect(migration).toContain("('gadgets_price_range', sql`price between 0 and 100`)")
    expect(read(LIST)).toContain('<td role="cell" class="number">')
    expect(read(LIST)).toContain("{ label: 'Price', number: true, ...swap }")
    expect(read(RESOURCE)).toContain("price: filter.range(field.decimal(14, 2), { label: 'Price (EUR)' })")
  })

  it('needs no quotes with a colon', async () => {
    await run('gadget title price:money:EUR:0..100')
    const written = read(RESOURCE)
    await destroy(quick, 'gadget')
    await run('gadget title price:money{EUR}{0..100}')
    expect(read(RESOURCE)).toBe(written)
  })
})

describe('an amount in the currency of another field', () => {
  it('has a check of its decimal places, whose error is beside the amount', async () => {
    expect(await migrationOf(`gadget ${MIXED}`)).toContain(CHECK)
    expect(read(RESOURCE)).toMatch(
      /gadgets_price_amount: \{\s+field: 'price',\s+message: 'Use at most 2 decimal places in EUR and USD, 0 in JPY\.',/,
    )
    expect(read(LIST)).toContain('it.formatMoney(gadget.price, gadget.currency)')
    expect(read(FORM)).not.toContain('unit:')
    const test = read('app/gadgets/gadget.test.ts')
    expect(test).toContain("{ ...form, currency: 'JPY', price: '0.50' }")
    expect(test).toContain("make({ currency: 'EUR', price: '0.50' })")
  })

  it('has amounts in seeds and factories that every currency has', async () => {
    await run(`gadget ${MIXED}`)
    expect(read('app/gadgets/gadget.seed.ts')).toContain(
      'price: faker.number.int({ min: 1, max: 100 }).toFixed(2)',
    )
    expect(read('app/gadgets/gadget.factory.ts')).toContain('price: n.toFixed(2)')
  })

  it('needs no check if the currencies have the same decimal places', async () => {
    const migration = await migrationOf('gadget title price:money(currency) currency:enum{EUR,USD}')
    expect(migration).not.toContain('gadgets_price_amount')
    expect(migration).toContain("'price', 'numeric(14, 2)'")
    expect(read(RESOURCE)).not.toContain('checks')
  })

  it('is checked with its range', async () => {
    expect(
      await migrationOf('gadget title price:money(unit):min(0) tax:money(unit)? unit:enum{BHD,EUR,JPY}'),
    ).toContain(
      "sql`price >= 0 and price = round(price, case unit when 'EUR' then 2 when 'JPY' then 0 else 3 end)`",
    )
  })

  it('is added to an edited resource, also before its currency', async () => {
    await run('gadget title')
    writeFileSync(join(project.root, FORM), read(FORM).replace('</form>', '<p>Hi.</p></form>'))
    const { steps, migrations } = await run('gadget price:money(currency) currency:enum{EUR,JPY,USD}')
    expect(steps.filter(({ verb }) => verb === 'keep')).toEqual([])
    const migration = read(`app/db/migrations/${migrations[0]}.ts`)
    expect(migration.indexOf("addColumn('currency'")).toBeLessThan(migration.indexOf('gadgets_price_amount'))
    expect(migration).toContain("notNull().defaultTo('1.00')")
    expect(read(FORM)).toContain('<p>Hi.</p>')
    expect(read(FORM)).toContain("name: 'price'")
  })

  it('restores every byte with destroy', async () => {
    const written = project.files()
    await run(`gadget ${MIXED}`)
    await destroy(quick, 'gadget')
    expect(project.files()).toEqual(written)
  })
})

describe('money', () => {
  it.each([
    ['price:money', 'An amount has one currency, or another field with its currency'],
    ['price:money{EUR}{USD}', 'This repeats an earlier part'],
    ['price:money{EURO}', 'Unknown currency EURO. Did you mean EUR?'],
    ['price:money{eur}', 'Unknown currency eur. Did you mean EUR?'],
    ['price:money{QQQ}', 'Unknown currency QQQ.'],
    ['price:money{EUR,USD}', "beside 'currency:enum{EUR,USD}'"],
    ['price:money(currency){EUR} currency:enum{EUR,USD}', 'An amount has one currency'],
    ['price:money(unit)', 'Unknown field unit.'],
    ['price:money(title)', "title must be an enum of currencies: write 'title:enum{EUR,USD}'."],
    ['price:money(price)', 'price must be an enum of currencies'],
    ['price:money(unit) unit:enum[]{EUR,USD}', 'unit must be an enum of currencies'],
    ['price:money(unit) unit:states{EUR>USD}', 'unit must be an enum of currencies'],
    ['price:money(unit) unit:enum{EUR,many}', 'Unknown currency many.'],
    ['price:money(unit) unit:enum{EUR,USD}?', 'An amount needs a currency: make unit required.'],
    ['price:money(unit) unit:enum{EUR,USD}:private=EUR', 'remove :private from unit'],
    ['price:money(unit)=0.5 unit:enum{EUR,JPY}', 'Not every currency of price has these decimal places.'],
    [
      'price:money(unit){0.1..0.9} unit:enum{EUR,JPY}',
      'Not every currency of price has an amount in this range.',
    ],
    ['price:money{EUR}=0.005', 'Use at most 2 decimal places.'],
    ['price:money{EUR}{many..}', 'Limits are numbers'],
    ['price:decimal(title)', 'Unknown word decimal.'],
  ])('rejects %s', async (fields, problem) => {
    const written = project.files()
    await expect(run(`gadget title ${fields}`)).rejects.toThrow(problem)
    expect(project.files()).toEqual(written)
  })

  it.each([
    'price:money(unit)=0 unit:enum{EUR,JPY}',
    'price:money{EUR}=0.07',
    'price:money(unit):as(round(cost,0)) cost:decimal unit:enum{EUR,JPY}',
  ])('accepts %s', async (fields) => {
    const { model } = await run(`gadget title '${fields.replaceAll(' ', "' '")}'`, { dryRun: true })
    expect(model.fields[1]?.type.name).toBe('money')
  })
})
