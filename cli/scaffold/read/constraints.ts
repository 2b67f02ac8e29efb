import type { FieldWords } from './field-words.ts'
import type { Field, FieldType } from '../model.ts'
import type { Part, Problems } from './problems.ts'
import { isOfObjects } from './reserved.ts'

type Constraints = Pick<Field, 'min' | 'max' | 'precision' | 'scale' | 'values' | 'onDelete'>

/** The most characters that a type may be told to take; a form is at most 256 kB, and a value of an index 2.7 kB. */
const LONGEST: Partial<Record<FieldType, number>> = { string: 500, slug: 500, text: 50_000 }
/** The numbers that a type may be told to stay within. */
const WIDEST: Partial<Record<FieldType, number>> = {
  integer: 2_147_483_647,
  bigint: Number.MAX_SAFE_INTEGER,
  decimal: 1e15,
  float: Number.MAX_VALUE,
}

/** What a field says in braces and with `:min` and `:max`, as far as its type knows such things. */
export function constraintsOf(words: FieldWords, problems: Problems): Constraints {
  const { type, constraints } = words
  if (type === 'enum') return enumValues(words, problems)
  if (type === 'references') return onDelete(problems.once(constraints), problems)
  if (type in LONGEST || type in WIDEST) {
    const size = type === 'decimal' ? sizeOf(constraints, problems) : {}
    return { ...size, ...limits(words, problems) }
  }
  for (const part of [...constraints, words.min, words.max])
    if (part) problems.add(part, `A field of type ${type} takes no limits: leave this out.`)
  return {}
}

function limits(words: FieldWords, problems: Problems): Constraints {
  const { type, constraints } = words
  const told = problems.found.length
  const range = problems.once(constraints.filter(({ text }) => type !== 'decimal' || text.includes('..')))
  const [low, high] = range ? cut(range, type in LONGEST) : [null, null]
  const min = limit(problems.once([low, words.min].filter(isThere)), type, problems)
  const max = limit(problems.once([high, words.max].filter(isThere)), type, problems)
  const place = range ?? words.max ?? words.min
  if (place && min !== undefined && max !== undefined && min > max)
    problems.add(place, `The least is ${min} and the most is ${max}: turn them around.`)
  if (place && max === 0 && type in LONGEST)
    problems.add(place, 'Nothing would fit into no character: use 1 or more.')
  if (place && min === 0 && type in LONGEST)
    problems.add(place, 'To let it be empty make it nullable: write ? or :null, and 1 or more here.')
  if (problems.found.length > told) return {}
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
}

const isThere = (part: Part | null): part is Part => part !== null

/** The two sides of `3..120`; of a text, `120` alone is the most. */
function cut({ text, ...place }: Part, isLength: boolean): [Part | null, Part | null] {
  const dots = text.indexOf('..')
  if (dots === -1) return isLength ? [null, { ...place, text }] : [{ ...place, text: `${text}..` }, null]
  const low = { ...place, text: text.slice(0, dots) }
  const high = { ...place, at: place.at + dots + 2, text: text.slice(dots + 2) }
  return [low.text ? low : null, high.text ? high : null]
}

function limit(part: Part | null, type: FieldType, problems: Problems): number | undefined {
  if (part === null) return undefined
  const isLength = type in LONGEST
  const whole = isLength || type === 'integer' || type === 'bigint'
  const pattern = isLength ? /^\d+$/ : whole ? /^-?\d+$/ : /^-?\d+(?:\.\d+)?$/
  if (!pattern.test(part.text)) {
    problems.add(
      part,
      `Limits are ${whole ? 'whole numbers' : 'numbers'}: write {1..200}, :1..200 or :max(200).`,
    )
    return undefined
  }
  const number = Number(part.text)
  const widest = LONGEST[type] ?? WIDEST[type] ?? 0
  if (Math.abs(number) <= widest) return number
  problems.add(
    part,
    `A field of type ${type} takes ${widest.toLocaleString('en')}${isLength ? ' characters' : ''} at most.${longer(type)}`,
  )
  return undefined
}

const longer = (type: FieldType): string => {
  if (type === 'string') return ' Use text for more.'
  return type === 'integer' ? ' Use bigint for more.' : ''
}

function sizeOf(constraints: readonly Part[], problems: Problems): Constraints {
  const size = problems.once(constraints.filter(({ text }) => !text.includes('..')))
  if (size === null) return { precision: 12, scale: 2 }
  const [, all, behind] = /^(\d{1,4})(?:,(\d{1,4}))?$/.exec(size.text) ?? []
  const precision = Number(all)
  const scale = Number(behind ?? 0)
  if (all === undefined)
    problems.add(
      size,
      'A decimal has its digits in braces, and how many of them are behind the point: {12,2}.',
    )
  else if (precision < 1 || precision > 100) problems.add(size, 'A decimal has 1 to 100 digits: {12,2}.')
  else if (scale > precision)
    problems.add(
      size,
      `Of ${precision} digits no ${scale} can be behind the point: write {${scale},${precision}}, or fewer behind it.`,
    )
  return { precision, scale }
}

function enumValues({ constraints, type, token, min, max }: FieldWords, problems: Problems): Constraints {
  for (const part of [min, max])
    if (part) problems.add(part, `A field of type ${type} takes no limits: leave this out.`)
  const list = problems.once(constraints)
  if (list === null) {
    problems.add(
      { token, at: 0, text: token },
      'An enum needs its values: write {draft,published} or :draft,published.',
    )
    return {}
  }
  const values = list.text.split(',').map((value) => value.trim())
  const wrong = values.find((value) => !/^[a-z][\w-]{0,59}$/i.test(value) || isOfObjects(value))
  const twice = values.find(
    (value, at) => values.findIndex((other) => other.toLowerCase() === value.toLowerCase()) < at,
  )
  if (wrong !== undefined)
    problems.add(
      list,
      `Values of an enum begin with a letter and have letters, digits, _ and -; ${wrong === '' ? 'one is empty' : `"${wrong}" is none`}. Write {draft,published}.`,
    )
  else if (twice !== undefined) problems.add(list, `"${twice}" is there twice: write it once.`)
  else if (values.length < 2)
    problems.add(list, 'With one value there is nothing to choose: write two or more, as {draft,published}.')
  return { values }
}

const ON_DELETE: Readonly<Record<string, NonNullable<Field['onDelete']>>> = {
  restrict: 'restrict',
  cascade: 'cascade',
  null: 'set null',
}

function onDelete(part: Part | null, problems: Problems): Constraints {
  if (part === null) return { onDelete: 'restrict' }
  const action = Object.hasOwn(ON_DELETE, part.text) ? ON_DELETE[part.text] : undefined
  if (action !== undefined) return { onDelete: action }
  problems.add(part, 'What becomes of it when the other record is deleted: {restrict}, {cascade} or {null}.')
  return {}
}
