import { runInNewContext } from 'node:vm'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nthDay, nthMoment, nthTime } from '#app/db/seeding.ts'
import { EMPTY_PROJECT } from '../../test-support/empty-project.ts'
import { enteredText, exampleCode, exampleValue } from './examples.ts'
import type { Field } from '../field-types/field-type.ts'
import { readModel } from '../read/read-model.ts'

const field = (token: string) =>
  readModel({ name: 'thing', fields: [token], options: {} }, EMPTY_PROJECT).model.fields[0] as Field

const numbered = Array.from({ length: 60 }, (_, at) => at + 1)
const evaluate = (code: string, made: number): unknown =>
  runInNewContext(`(${code})`, { made, nthDay, nthMoment, nthTime })

const PLAIN = ['boolean', 'date', 'time', 'datetime', 'uuid', 'json', 'email', 'url']
const limits = (number: fc.Arbitrary<number>) =>
  fc
    .tuple(fc.option(number), fc.option(number))
    .filter(([min, max]) => min !== null || max !== null)
    .map(([min, max]) => (min !== null && max !== null && min > max ? [max, min] : [min, max]))
    .map(([min, max]) => `{${min ?? ''}..${max ?? ''}}`)
const limited = (type: string, number: fc.Arbitrary<number>) =>
  fc.option(limits(number), { nil: '' }).map((range) => type + range)
const lengths = fc.integer({ min: 1, max: 50 })
const wholes = fc.integer({ min: -2000, max: 2000 })
const thousandths = wholes.map((number) => number / 1000)

/** Declarations of every type and its limits. */
const declarations = fc.oneof(
  fc.constantFrom(...PLAIN),
  ...['string', 'text', 'slug'].map((type) => limited(type, lengths)),
  ...['integer', 'bigint'].map((type) => limited(type, wholes)),
  limited('float', thousandths),
  fc
    .tuple(fc.integer({ min: 6, max: 20 }), fc.integer({ min: 0, max: 5 }))
    .chain(([digits, scale]) => limited(`decimal{${digits},${scale}}`, fc.constantFrom(-9, -1, 0, 1, 9))),
)
const names = fc.constantFrom('lot', 'place_of_birth', 'a_name_that_is_as_long_as_a_name_may_be_for_once')
const tokens = fc.tuple(names, declarations).map(([name, declared]) => `${name}:${declared}`)

describe('exampleValue', () => {
  it.each([
    'lot:string',
    'lot:string{3}',
    'lot:string{30..40}',
    'place_of_birth:slug',
    'lot:integer{-5..200}',
    'lot:integer{..-10}',
    'lot:bigint',
    'lot:decimal',
    'lot:decimal{3,2}{0..}',
    'lot:float{0.5..1.75}',
    ...PLAIN.filter((type) => type !== 'boolean').map((type) => `lot:${type}`),
  ])('returns different values: %s', (token) => {
    const values = numbered.map((n) => JSON.stringify(exampleValue(field(token), n)))
    expect(new Set(values).size).toBe(60)
  })

  it('returns values that the form accepts', () => {
    const checked = tokens.filter((token) => !/:(?:boolean|json)/.test(token))
    fc.assert(
      fc.property(checked, fc.nat(999), (token, n) => {
        // A default is parsed like entered text.
        const typed = enteredText(field(token), n)
        expect(field(`${token}=${typed}`).default).toBeDefined()
      }),
      {
        examples: [
          ['lot:float{0.001..0.004}', 1],
          ['lot:decimal{4,2}{..-5}', 1],
        ],
      },
    )
  })

  it('returns the default last', () => {
    const state = field('state:enum{draft,out}=draft')
    expect([1, 2, 3].map((n) => exampleValue(state, n))).toEqual(['out', 'draft', 'out'])
  })

  it('throws for a reference', () => {
    expect(() => exampleValue(field('thing:references?'), 1)).toThrow(
      'thing_id: the type references has no examples',
    )
  })
})

describe('exampleCode', () => {
  it('computes the same value', () => {
    fc.assert(
      fc.property(tokens, fc.nat(999), (token, n) => {
        const code = exampleCode(field(token), 'made')
        expect(evaluate(code, n)).toEqual(exampleValue(field(token), n))
      }),
    )
  })

  it('escapes the literal', () => {
    const lot = { ...field('lot:string'), label: 'Price in `$' }
    expect(evaluate(exampleCode(lot, 'made'), 7)).toBe('Price in `$ 7')
  })

  it('is as short as handwritten code', () => {
    expect(exampleCode(field('lot:integer'), 'n')).toBe('n')
    expect(exampleCode(field('lot:integer{5..9}'), 'n')).toBe('5 + n % 5')
    expect(exampleCode(field('lot:string{20..}'), 'n')).toBe("`Lot ${n}`.padEnd(20, '.')")
    expect(exampleCode(field('lot:string{4}'), 'n')).toBe("String(n).padStart(4, '0').slice(-4)")
  })
})
