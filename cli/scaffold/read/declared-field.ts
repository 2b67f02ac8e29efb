import { choices, nearest } from '../../nearest.ts'
import { type Existing, targetNamed } from '../existing.ts'
import { computedOf } from '../computed/computed.ts'
import { rejectLimits } from '../field-types/limits.ts'
import { checkRules } from './field-rules.ts'
import type {
  Field,
  FieldWithoutDefault,
  FieldWords,
  IdKind,
  Limits,
  Target,
} from '../field-types/field-type.ts'
import { capital, type Names, wordsOf } from './names.ts'
import { withinOf } from '../unique-within/unique-within.ts'
import { singularOf } from './plurals.ts'
import { type Part, type Problems } from './command-line-problems.ts'
import { reservedField } from './reserved.ts'

/** The resource that has the field. */
export interface Owner {
  readonly names: Names
  readonly id: IdKind
  readonly existing: Existing
}

/** Returns the field that these words declare. Reports every problem and returns null if they are wrong. */
export function fieldOf(words: FieldWords, owner: Owner, problems: Problems): Field | null {
  const problemCount = problems.list.length
  const called = calledBy(words, problems)
  if (called === null) return null
  const target = words.type.isReference ? targetOf(words, called.name, { owner, problems }) : undefined
  const undecided: FieldWithoutDefault = {
    ...called,
    label: capital(called.name.replaceAll('_', ' ')),
    type: words.type,
    nullable: words.nullable !== null || words.type.isList === true,
    unique: words.unique !== null,
    ...withinOf(words),
    ...computedOf(words),
    index: words.index !== null,
    private: words.private !== null,
    ordered: words.ordered !== null,
    ...limitsIn(words, problems),
    ...(target && { target }),
  }
  if (problems.list.length > problemCount) return null
  const value = defaultIn(undecided, words, problems)
  const field: Field = { ...undecided, ...(value !== undefined && { default: value }) }
  checkRules(field, words, problems)
  return problems.list.length > problemCount ? null : field
}

/** Returns the limits that the field declares. Reports limits that its type does not accept. */
function limitsIn(words: FieldWords, problems: Problems): Limits {
  const { type } = words
  if (type.readLimits) return type.readLimits(words, problems)
  rejectLimits(words, problems)
  return {}
}

/** Returns the default that the field declares. It is validated like a value of the form. */
function defaultIn(field: FieldWithoutDefault, words: FieldWords, problems: Problems): Field['default'] {
  const { type, default: part } = words
  if (part === null) return undefined
  if (type.schema === undefined) {
    problems.add(part, `A field of type ${type.name} can't have a default. Remove it.`)
    return undefined
  }
  const parsed = type.schema(field).safeParse(part.text)
  if (parsed.success) return parsed.data as Field['default']
  const [{ message } = { message: '' }] = parsed.error.issues
  problems.add(
    part,
    `This is not a valid default for a field of type ${type.name}. ${message} Everything after = is the default, so write it last.`,
  )
  return undefined
}

/** Returns the name of a field in snake_case. `author_id:references` has the name `author`. */
function calledBy(
  { name, type, private: secret }: FieldWords,
  problems: Problems,
): Pick<Field, 'name' | 'column'> | null {
  const snake = wordsOf(name.text).join('_')
  const short = type.isReference ? snake.replace(/(.)_id$/, '$1') : snake
  const id = type.isList ? `${singularOf(short) || short}_ids` : `${short}_id`
  const called = { name: short, column: type.isReference ? id : short }
  // The parameters of a range end in `_from` and `_to`.
  const isFilter = type.filter !== undefined && type.filter.range === undefined && secret === null
  const reserved = reservedField(called, { isFilter })
  const wrong = strangeCharacter(name) ?? (reserved === null ? null : { part: name, message: reserved })
  if (wrong === null) return called
  problems.add(wrong.part, wrong.message)
  return null
}

/** Returns the first character that is not valid in a name, with a message; null if all are valid. */
export function strangeCharacter({ token, at, text }: Part): { part: Part; message: string } | null {
  if (text === '') return { part: { token, at, text }, message: 'A name is missing here.' }
  const place = /^[^a-z]|[^\w -]/i.exec(text)
  if (place === null) return null
  const character = String.fromCodePoint(text.codePointAt(place.index) ?? 0)
  const number = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  const shown = /^[ -~]$/.test(character) ? `"${character}"` : `The character ${number}`
  // Removes accents: é becomes e.
  const latin = text.normalize('NFD').replaceAll(/\p{Mark}/gu, '')
  const plain = wordsOf(latin.replaceAll(/[^\w-]+/g, '_').replace(/^[\d_-]+/, '')).join('_')
  const message =
    `${shown} can't be ${place.index === 0 ? 'at the beginning of' : 'in'} a name: names begin with a letter from a to z, ` +
    `and have letters, digits, - and _.${plain ? ` Use ${plain}.` : ''}`
  return { part: { token, at: at + place.index, text: character }, message }
}

function targetOf(
  { target, name }: FieldWords,
  short: string,
  { owner, problems }: { owner: Owner; problems: Problems },
): Target | undefined {
  const model = target ?? { ...name, text: short }
  const self: Target = { names: owner.names, label: 'id', id: owner.id, isUser: false, isSelf: true }
  if (target?.text === 'self') return self
  const targets = [self, ...owner.existing.targets]
  const existing = strangeCharacter(model) ? null : targetNamed(model.text, { targets })
  if (existing) return existing
  const names = owner.existing.targets.map(({ names }) => names.file.replaceAll('-', '_'))
  // `author:references` names no model. Most references of this kind are to a user.
  const similar = target ? nearest(model.text, names) : 'user'
  const suggestion = similar === null ? null : `${short}:references:${similar}`
  problems.add(model, `Unknown model ${model.text}. ${choices([...names, 'self'], suggestion)}`)
  return undefined
}
