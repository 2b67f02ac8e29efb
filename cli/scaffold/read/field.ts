import { nearest } from '../../nearest.ts'
import { constraintsOf } from './constraints.ts'
import { defaultOf } from './default-value.ts'
import { type Existing, targetNamed } from '../existing.ts'
import type { FieldWords } from './field-words.ts'
import type { Field, IdKind, Names, Target } from '../model.ts'
import { capital, withArticle, wordsOf } from './names.ts'
import { type Part, type Problems, thereAre } from './problems.ts'
import { reservedColumn } from './reserved.ts'

/** The resource that the field is for. */
export interface Owner {
  readonly names: Names
  readonly id: IdKind
  readonly existing: Existing
}

/** The field that these words ask for; null, with every problem told, where they ask for what can't be. */
export function fieldOf(words: FieldWords, owner: Owner, problems: Problems): Field | null {
  const told = problems.found.length
  const name = nameOf(words, problems)
  if (name === null) return null
  const target = words.type === 'references' ? targetOf(words, name, { owner, problems }) : undefined
  const undecided: Omit<Field, 'default'> = {
    name,
    column: words.type === 'references' ? `${name}_id` : name,
    label: capital(name.replaceAll('_', ' ')),
    type: words.type,
    nullable: words.nullable !== null,
    unique: words.unique !== null,
    index: words.index !== null,
    private: words.private !== null,
    ...constraintsOf(words, problems),
    ...(target && { target }),
  }
  if (problems.found.length > told) return null
  const value = defaultOf(undecided, words, problems)
  const field: Field = { ...undecided, ...(value !== undefined && { default: value }) }
  checkTogether(field, words, problems)
  return problems.found.length > told ? null : field
}

/** In snake_case; `author_id:references` is called `author`. */
function nameOf({ name, type, private: secret }: FieldWords, problems: Problems): string | null {
  const told = problems.found.length
  const snake = wordsOf(name.text).join('_')
  const short = type === 'references' ? snake.replace(/(.)_id$/, '$1') : snake
  const isFilter = (type === 'boolean' || type === 'enum') && secret === null
  const reserved = reservedColumn(type === 'references' ? `${short}_id` : short, { isFilter })
  const wrong = strangeCharacter(name) ?? (reserved === null ? null : { part: name, message: reserved })
  if (wrong) problems.add(wrong.part, wrong.message)
  else if (name.text in Object.prototype)
    problems.add(name, `Every object in JavaScript has ${name.text}: call the field otherwise.`)
  else if (short.length > 50)
    problems.add(
      name,
      `${short.length} characters are too many for Postgres, with what is added to them: use 50 or fewer.`,
    )
  return problems.found.length > told ? null : short
}

/** The first character that a name can't have, and what it may have. */
export function strangeCharacter({ token, at, text }: Part): { part: Part; message: string } | null {
  if (text === '') return { part: { token, at, text }, message: 'A name is missing here.' }
  const place = /^[^a-z]|[^\w -]/i.exec(text)
  if (place === null) return null
  const character = String.fromCodePoint(text.codePointAt(place.index) ?? 0)
  const number = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  const shown = /^[ -~]$/.test(character) ? `"${character}"` : `The character ${number}`
  const plain = wordsOf(text.replaceAll(/[^\w-]+/g, '_').replace(/^[\d_-]+/, '')).join('_')
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
  const wanted = target ?? { ...name, text: short }
  const self: Target = { names: owner.names, label: 'id', id: owner.id, isUser: false, isSelf: true }
  if (target?.text === 'self' || sameName(wanted.text, owner.names)) return self
  const found = strangeCharacter(wanted) ? null : targetNamed(wanted.text, owner.existing)
  if (found) return found
  const known = owner.existing.targets.map(({ names }) => names.file.replaceAll('-', '_'))
  problems.add(
    wanted,
    `There is no model ${wanted.text} to refer to. Did you mean ${short}:references:${(target && nearest(wanted.text, known)) ?? 'user'}? ` +
      thereAre([...known, 'self']),
  )
  return undefined
}

function checkTogether(field: Field, words: FieldWords, problems: Problems): void {
  const whole = words.name
  const { type, nullable } = field
  if (words.nullable && words.required)
    problems.add(words.required, 'Nullable and required at once: write one of them.')
  if (type === 'boolean' && words.nullable)
    problems.add(
      words.nullable,
      'A box is checked or it is not: leave this out, or use enum{yes,no,unknown}.',
    )
  if (words.unique && ['boolean', 'text', 'json', 'enum'].includes(type))
    problems.add(
      words.unique,
      `${capital(withArticle(type))} can't be unique${type === 'text' ? ': use string, which is short enough for it' : ''}.`,
    )
  if (words.index && ['text', 'json'].includes(type))
    problems.add(
      words.index,
      `A ${type} may be too long for an index${type === 'text' ? ': use string' : ': leave this out'}.`,
    )
  if (type === 'bigint' && /(?:^|_)id$/.test(field.column))
    problems.add(
      whole,
      `Columns named ${field.column} are read as ids, which are numbers, and a bigint is more: make it a string, or call it otherwise, like ${field.column.replace(/id$/, 'number')}.`,
    )
  if (words.unique && words.default)
    problems.add(words.default, 'Unique, and the same unless told: leave one of them out.')
  if (words.private && !nullable && field.default === undefined)
    problems.add(
      words.private,
      'No form fills in what is private: make it nullable with ? or :null, or give it a default.',
    )
  if (field.onDelete === 'set null' && !nullable)
    problems.add(
      words.constraints[0] ?? whole,
      'It can only become null when it is nullable: write ? or :null too.',
    )
  if (field.target?.isSelf && !nullable)
    problems.add(whole, 'The first record has none to refer to: make it nullable with ? or :null.')
}

const sameName = (text: string, names: Names): boolean =>
  wordsOf(text).join('-') === names.file || wordsOf(text).join('-') === names.folder
