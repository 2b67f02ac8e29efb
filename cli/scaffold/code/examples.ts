import { nthDay, nthMoment, nthTime } from '#app/db/seeding.ts'
import type { Field, FieldType } from '../model.ts'
import { counted, type Example, fixed, fraction } from './example-numbers.ts'

/** The most characters of a text whose declaration says nothing about it. */
export const LONGEST = { string: 255, text: 20_000 } as const

type Value = string | number | boolean | { readonly example: number }

/**
 * The nth valid value of a field, as its column stores it; others for other n wherever the field has as many. Throws for
 * references, whose values are records.
 */
export const exampleValue = (field: Field, n: number): Value =>
  field.type === 'enum' ? choice(field, n) : exampleOf(field).value(n)

/** Code that works out `exampleValue` for the n, below a thousand, that a variable holds. Throws for references and enums. */
export const exampleCode = (field: Field, variable: string): string => exampleOf(field).code(variable)

function exampleOf(field: Field): Example<Value> {
  const example = EXAMPLES[field.type]
  if (example === undefined)
    throw new Error(`${field.column}: no number leads to a value of type ${field.type}.`)
  return example(field)
}

const EXAMPLES: { readonly [Type in FieldType]?: (field: Field) => Example<Value> } = {
  string: words,
  text: words,
  slug: words,
  integer: counted,
  bigint: (field) => {
    const { value, code } = counted(field)
    return { value: (n) => String(value(n)), code: (n) => `String(${code(n)})` }
  },
  decimal: fixed,
  float: fraction,
  boolean: () => ({ value: (n) => n % 2 === 1, code: (n) => `${n} % 2 === 1` }),
  date: () => ({ value: nthDay, code: (n) => `nthDay(${n})` }),
  time: () => ({ value: nthTime, code: (n) => `nthTime(${n})` }),
  datetime: () => ({ value: nthMoment, code: (n) => `nthMoment(${n})` }),
  uuid: () => digits(12, '00000000-0000-4000-8000-'),
  json: () => ({ value: (n) => ({ example: n }), code: (n) => `{ example: ${n} }` }),
  email: () => numbered('someone', '@example.org'),
  url: () => numbered('https://example.org/'),
}

/** Its label and a number, or where that is too long the number alone, and as many dots as it takes. */
function words({ type, label, min = 0, max = LONGEST.string }: Field): Example<string> {
  if (max < 6) return digits(max)
  const name = type === 'slug' ? `${label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-` : `${label} `
  const before = name.length + 6 <= max && /^[a-z0-9]/i.test(name) ? name : ''
  const filling = type === 'slug' ? '0' : '.'
  const { value, code } = numbered(before)
  const isShort = min > before.length + 1
  return {
    value: (n) => value(n).padEnd(min, filling),
    code: (n) => (isShort ? `${code(n)}.padEnd(${min}, '${filling}')` : code(n)),
  }
}

const numbered = (before: string, after = ''): Example<string> => ({
  value: (n) => `${before}${n}${after}`,
  code: (n) => `\`${escaped(before)}\${${n}}${after}\``,
})

function digits(length: number, before = ''): Example<string> {
  const code = (n: string) => `String(${n}).padStart(${length}, '0').slice(-${length})`
  return {
    value: (n) => before + String(n).padStart(length, '0').slice(-length),
    code: (n) => (before === '' ? code(n) : `\`${before}\${${code(n)}}\``),
  }
}

const escaped = (text: string) => text.replaceAll(/[`\\]|\$\{/g, '\\$&')

function choice({ values = [], default: usual }: Field, n: number): string {
  // The default comes last: a value that was given tells more.
  const ordered = [...values.filter((value) => value !== usual), ...values.filter((value) => value === usual)]
  return ordered[(n - 1) % ordered.length] ?? ''
}
