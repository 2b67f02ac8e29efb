import { nthDay, nthMoment, nthTime } from '#app/db/seeding.ts'
import type { Field } from '../model.ts'
import { quoted } from './code.ts'

/** A number, or the name of a variable that holds one when the code runs. */
type Nth = number | string

/**
 * Code for the nth valid value of a field, as its column stores it; others for other n wherever the field has as many.
 * With the name of a variable as `n`, code that works it out. Throws for references, whose values are records.
 */
export function validValue(field: Field, n: Nth): string {
  const code = CODE[field.type]
  if (code === undefined) throw new Error(`${field.column}: what it refers to has to be made.`)
  return code(field, n)
}

/** What a person types, chooses or picks in a form for the nth valid value: of a checkbox `on`, or nothing. */
export function typedValue(field: Field, n: number): string {
  const value = literal(validValue(field, n))
  if (field.type === 'boolean') return value === 'true' ? 'on' : ''
  // What pickers send: minutes, and no zone.
  if (field.type === 'datetime') return value.slice(0, 16)
  return field.type === 'time' ? value.slice(0, 5) : value
}

/** What a person could send for it and must not; null for a checkbox, which has nothing wrong to say. */
export function invalidTyped(field: Field): string | null {
  const { type, nullable, max } = field
  if (type === 'string' || type === 'text') return nullable ? 'x'.repeat((max ?? LONGEST[type]) + 1) : ''
  return WRONG[type] ?? null
}

/** The most characters of a text whose declaration says nothing about it. */
export const LONGEST = { string: 255, text: 20_000 } as const

const WRONG: { readonly [Type in Field['type']]?: string } = {
  integer: '1.5',
  bigint: 'many',
  decimal: 'many',
  float: 'many',
  date: '2026-02-30',
  time: '25:00',
  datetime: '2026-02-30T10:00',
  uuid: 'not-a-uuid',
  json: '{"open":',
  email: 'nobody',
  url: 'javascript:alert(1)',
  slug: 'Not a slug!',
  enum: 'none of these',
  references: '0',
}

const CODE: { readonly [Type in Field['type']]?: (field: Field, n: Nth) => string } = {
  string: words,
  text: words,
  slug: words,
  integer: whole,
  bigint: (field, n) => (typeof n === 'number' ? `'${whole(field, n)}'` : `String(${whole(field, n)})`),
  decimal: fixed,
  float: fraction,
  boolean: (_, n) => (typeof n === 'number' ? String(n % 2 === 1) : `${n} % 2 === 1`),
  date: (_, n) => (typeof n === 'number' ? `'${nthDay(n)}'` : `nthDay(${n})`),
  time: (_, n) => (typeof n === 'number' ? `'${nthTime(n)}'` : `nthTime(${n})`),
  datetime: (_, n) => (typeof n === 'number' ? `'${nthMoment(n)}'` : `nthMoment(${n})`),
  uuid: (_, n) => padded(n, 12, '00000000-0000-4000-8000-'),
  json: (_, n) => `{ example: ${n} }`,
  email: (_, n) => text(n, 'someone', '@example.org'),
  url: (_, n) => text(n, 'https://example.org/'),
  enum: choice,
}

/** Its label and a number, or where that is too long the number alone, and as many dots as it takes. */
function words({ type, label, min = 0, max = LONGEST.string }: Field, n: Nth): string {
  if (max < 6) return padded(n, max)
  const name = type === 'slug' ? `${label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-` : `${label} `
  const beginning = name.length + 6 <= max && /^[a-z0-9]/i.test(name) ? name : ''
  const filling = type === 'slug' ? '0' : '.'
  const whole = text(n, beginning)
  if (typeof n === 'number') return quoted(literal(whole).padEnd(min, filling))
  return min > beginning.length + 1 ? `${whole}.padEnd(${min}, '${filling}')` : whole
}

function whole(field: Field, n: Nth): string {
  return steps(field, { n, digits: 0 })
}

function fixed({ scale = 2, precision = 12, ...field }: Field, n: Nth): string {
  const most = 10 ** (precision - scale) - 10 ** -scale
  const bounded = { min: field.min, max: Math.min(field.max ?? most, most) }
  const roomy = bounded.max - (bounded.min ?? 0) >= 100
  const number = steps(bounded, { n, digits: roomy ? 0 : scale })
  if (typeof n === 'number') return `'${Number(number).toFixed(scale)}'`
  return number === n ? `${n}.toFixed(${scale})` : `(${number}).toFixed(${scale})`
}

function fraction(field: Field, n: Nth): string {
  const { min, max } = field
  const narrow = min !== undefined && max !== undefined && max - min < 100
  return steps(field, { n, digits: narrow ? 2 : 0 })
}

interface Range {
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/** From the least that is allowed upwards, in steps of one or of so many decimals, and around again at the most. */
function steps({ min, max }: Range, { n, digits }: { n: Nth; digits: number }): string {
  const scale = 10 ** digits
  const first = Math.ceil((min ?? (max !== undefined && max < 0 ? max - 1_000_000 : 0)) * scale - 1e-6)
  const last = max === undefined ? first + MANY : Math.floor(max * scale + 1e-6)
  const count = last - first + 1
  if (typeof n === 'number') return String((first + (n % count)) / scale)
  const turn = count >= ENOUGH ? n : `${n} % ${count}`
  const stepped = first === 0 ? turn : `${first} + ${turn.includes(' ') ? `(${turn})` : turn}`
  if (digits > 0) return `(${stepped}) / ${scale}`
  return stepped
}

const MANY = 1_000_000_000
/** More than a seed or a test file makes: nothing has to begin again. */
const ENOUGH = 1000

function choice({ values = [], default: usual }: Field, n: Nth): string {
  // The default comes last: a value that was given tells more.
  const ordered = [...values.filter((value) => value !== usual), ...values.filter((value) => value === usual)]
  if (typeof n === 'number') return quoted(ordered[(n - 1) % ordered.length] ?? '')
  return `([${ordered.map(quoted).join(', ')}] as const)[${n} % ${ordered.length}] ?? ${quoted(ordered[0] ?? '')}`
}

const text = (n: Nth, before: string, after = '') =>
  typeof n === 'number' ? quoted(`${before}${n}${after}`) : `\`${escaped(before)}\${${n}}${after}\``

function padded(n: Nth, length: number, before = ''): string {
  if (typeof n === 'number') return quoted(before + String(n).padStart(length, '0').slice(-length))
  const digits = `String(${n}).padStart(${length}, '0').slice(-${length})`
  return before === '' ? digits : `\`${before}\${${digits}}\``
}

const escaped = (value: string) => value.replaceAll(/[`\\]|\$\{/g, '\\$&')

/** What a literal of ours holds. */
function literal(code: string): string {
  if (code.startsWith('{')) return code.replace('example', '"example"')
  return code.startsWith("'") ? code.slice(1, -1).replaceAll("\\'", "'").replaceAll('\\\\', '\\') : code
}
