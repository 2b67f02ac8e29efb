import { runInNewContext } from 'node:vm'
import { faker } from '@faker-js/faker/locale/en'
import { describe, expect, it } from 'vitest'
import * as seeding from '#app/db/seeding.ts'
import { realisticCode } from '../code/examples.ts'
import { seedData } from '../code/seed-code.ts'
import { EMPTY_PROJECT } from '../../test-support/empty-project.ts'
import { readModel } from '../read/read-model.ts'
import type { Field } from './field-type.ts'

/** Returns the values that a seed inserts for a field of this resource. */
function valuesOf(declaration: string, resource = 'thing') {
  const { model } = readModel({ name: resource, fields: [declaration], options: {} }, EMPTY_PROJECT)
  const field = model.fields[0] as Field
  const { code, usesFaker } = realisticCode(field, model.names)
  const context = { faker, ...seeding, STATES: field.values }
  const valueAt = runInNewContext(usesFaker ? `(n) => (${code})` : '() => null', context) as (
    n: number,
  ) => unknown
  faker.seed(1)
  const values = usesFaker ? Array.from({ length: 75 }, (_, index) => valueAt(index + 1)) : []
  return { code, values, schema: field.type.schema?.(field) }
}

const NAMES = [
  'lot', 'name', 'title', 'city', 'country', 'phone', 'sku', 'full_name', 'age', 'year', 'note', 'description',
] // prettier-ignore
const TYPES = [
  'string', 'string{1..200}', 'string{3..120}', 'string{6..40}', 'string{12}', 'string{30..}', 'string^',
  'text', 'text{..150}', 'text{50..60}', 'slug', 'slug{4}', 'slug^', 'date', 'time', 'datetime', 'uuid', 'email',
  'email^', 'url',
  'integer', 'integer{-5..5}', 'integer{..-10}', 'integer{500..}', 'integer{2147483640..}', 'integer{..0}',
  'bigint', 'bigint{9007199254740991..}', 'float', 'float{0..1}', 'float{0.5..1.75}', 'float{0.001..0.004}',
  'money{EUR}', 'money{JPY}{..-10}', 'money{BHD}{0..0.5}', 'decimal', 'decimal{3,2}', 'decimal{2,2}', 'decimal{10,0}{0.5..9.5}', 'decimal{30,10}', 'decimal{10,3}{0..9.5}',
] // prettier-ignore

describe('realisticCode', () => {
  it.each(NAMES.flatMap((name) => TYPES.map((type) => `${name}:${type}`)))(
    'returns values that the form accepts unchanged: %s',
    (declaration) => {
      const { schema, values } = valuesOf(declaration)
      expect(values.map((value) => schema?.safeParse(value).data)).toEqual(values)
    },
  )

  it.each([
    'name:string^',
    'lot:string{40}^',
    'sku^',
    'phone^',
    'lot:slug^',
    'lot:url^',
    'lot:email^',
    'lot:uuid^',
  ])('returns unique values: %s', (declaration) => {
    expect(new Set(valuesOf(declaration).values).size).toBe(75)
  })

  it.each(['state:enum{draft,out,sold}', 'rare:boolean'])(
    'returns values in random order: %s',
    (declaration) => {
      const { values } = valuesOf(declaration)
      for (const period of [2, 3, 4, 6]) expect(values.slice(period)).not.toEqual(values.slice(0, -period))
    },
  )

  it.each(['state:enum{draft,out,sold}', 'rare:boolean'])(
    'returns every value for each of three owners in turn: %s',
    (declaration) => {
      const { values } = valuesOf(declaration)
      const all = new Set(values)
      for (const owner of [0, 1, 2])
        expect(new Set(values.filter((_, index) => index % 3 === owner))).toEqual(all)
    },
  )

  it.each(['due_on:date', 'starts_at:datetime'])('returns past and coming days: %s', (declaration) => {
    const days = valuesOf(declaration).values.map((value) => String(value).slice(0, 10))
    const today = seeding.daysAgo(0).slice(0, 10)
    expect(days.filter((day) => day < today).length).toBeGreaterThan(15)
    expect(days.filter((day) => day > today).length).toBeGreaterThan(15)
  })

  it.each(['paid_on:date', 'last_seen_at:datetime', 'closed:date', 'birthday:date'])(
    'returns past days: %s',
    (declaration) => {
      const { values } = valuesOf(declaration)
      expect(values.map(String).filter((value) => value >= seeding.daysAgo(0).slice(0, 10))).toEqual([])
    },
  )

  it.each([
    ['city', 'thing', 'faker.location.city()'],
    ['birth_place_city', 'thing', 'faker.location.city()'],
    ['name', 'thing', 'faker.commerce.productName()'],
    ['name', 'employee', 'faker.person.fullName()'],
    ['name', 'supplier', 'faker.company.name()'],
    ['title', 'post', 'faker.book.title()'],
    ['title', 'ticket', 'exampleTitle(faker)'],
    ['title', 'note', 'exampleTitle(faker)'],
    ['body:text', 'ticket', 'exampleText(faker)'],
    ['description:text', 'product', 'faker.commerce.productDescription()'],
    ['comment', 'ticket', 'exampleSentence(faker)'],
    ['name', 'tag', 'faker.commerce.department()'],
    ['title', 'recipe', 'faker.food.dish()'],
    ['author', 'book', 'faker.person.fullName()'],
    ['motto', 'club', 'faker.word.words(2)'],
    ['code{4}', 'thing', "String(n).padStart(4, '0').slice(-4)"],
    ['price:decimal{1..500}', 'thing', expect.stringMatching(/^faker\.number\.float\(.*\)\.toFixed\(2\)$/)],
    ['born_on:date', 'person', 'dayBetween(faker, -25550, -6570)'],
    ['due_on:date', 'task', 'dayBetween(faker, -30, 30)'],
    ['paid_at:datetime', 'invoice', 'momentBetween(faker, -90, -1)'],
    ['serial:integer^', 'thing', 'n'],
  ])('chooses a value for %s of a %s', (declaration, resource, code) => {
    expect(valuesOf(declaration, resource).code).toEqual(code)
  })
})

describe('the texts of a seed', () => {
  it.each([
    ['name:string^', 'category', 12],
    ['name', 'tag', 12],
    ['title', 'article', 75],
  ])('are distinct and without numbers: %s of a %s', async (declaration, resource, count) => {
    const { model } = readModel({ name: resource, fields: [declaration], options: {} }, EMPTY_PROJECT)
    const { count: written, entries } = seedData(model) as { count: string; entries: string[] }
    expect(Number(written)).toBe(count)
    const code = entries[0]?.replace(/^\w+: /, '') ?? ''
    const seeded = await seeding.seededFaker()
    const valueAt = runInNewContext(`(n) => (${code})`, { faker: seeded, ...seeding }) as (
      n: number,
    ) => string
    const values = Array.from({ length: count }, (_, index) => valueAt(index + 1))
    expect(new Set(values).size).toBe(count)
    expect(values.filter((value, index) => value.endsWith(` ${index + 1}`))).toEqual([])
  })
})
