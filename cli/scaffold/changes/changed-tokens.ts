import { choices, nearest } from '../../nearest.ts'
import type { Field } from '../field-types/field-type.ts'
import { FIELD_TYPES } from '../field-types/field-types.ts'
import type { Model } from '../model.ts'
import { type Part, Problems, wholeOf } from '../read/command-line-problems.ts'
import { fieldParts } from '../read/field-parts.ts'
import { fieldWords } from '../read/field-words.ts'
import { fieldNameIn, wordsOf } from '../read/names.ts'
import type { ChangeOptions } from './change-options.ts'

/** A declaration on the command line, and the field that it declared before the change. */
interface Declaration {
  readonly was: Field
  /** Null if the field is removed. */
  readonly token: string | null
}

/** Returns the declaration of each field after the changes. Reports options that no field fits. */
export function changedTokens(
  tokens: readonly string[],
  { fields, names }: Model,
  { changes, problems }: { changes: ChangeOptions; problems: Problems },
): Declaration[] {
  const all = fields.map((was, at): Declaration => ({ was, token: tokens[at] ?? was.name }))
  const change = (
    option: Part,
    name: string,
    changed: (one: Declaration, token: string) => string | null,
  ) => {
    const at = indexOf(name, all)
    const one = all[at]
    if (one?.token) all[at] = { ...one, token: changed(one, one.token) }
    else problems.add(option, unknown(name, all))
  }
  for (const text of changes.rename ?? []) {
    const option = wholeOf(`--rename ${text}`)
    const [old = '', name = '', ...more] = text.split(':')
    if (name === '' || more.length > 0)
      problems.add(option, 'Write the old and the new name: --rename due_date:due_at.')
    else if (indexOf(name, all) !== -1)
      problems.add(option, `${names.titles} already have a field ${name}. Choose another name.`)
    else change(option, old, ({ was }, token) => renamed(was, token, name))
  }
  for (const text of changes.type ?? [])
    change(wholeOf(`--type ${text}`), fieldNameIn(text), (_one, token) => retyped(token, text, problems))
  for (const text of changes.require ?? []) {
    const option = wholeOf(`--require ${text}`)
    change(option, text, (_one, token) => required(token, option, problems))
  }
  for (const text of changes.remove ?? []) change(wholeOf(`--remove ${text}`), text, () => null)
  if (all.every(({ token }) => token === null))
    problems.add(
      wholeOf(`--remove ${changes.remove?.at(-1) ?? ''}`),
      `A resource has a field. To remove ${names.humans}, use npx cli destroy ${names.file}.`,
    )
  return all
}

/** Finds a field by its name, or by the column of a reference. */
function indexOf(text: string, all: readonly Declaration[]): number {
  const name = wordsOf(text).join('_')
  const called = all.map(({ token }) => (token === null ? null : fieldNameIn(token)))
  const exact = called.indexOf(name)
  return exact === -1 ? called.findIndex((one) => one !== null && `${one}_id` === name) : exact
}

function unknown(text: string, all: readonly Declaration[]): string {
  const names = all.flatMap(({ token }) => (token === null ? [] : [fieldNameIn(token)]))
  return `Unknown field ${text}. ${choices(names, nearest(text, names))}`
}

/** A reference that names no model is to the model with the name of the field. */
function renamed({ target, name: before }: Field, token: string, name: string): string {
  const rest = token.slice(/^[^:?!^={}()]*/.exec(token)?.[0].length)
  const { target: named } = wordsIn(token)
  if (!target || named) return `${name}${rest}`
  return `${name}${rest.replace(/^:\w+/, (type) => `${type}:${target.isSelf ? 'self' : before}`)}`
}

const wordsIn = (token: string) => fieldWords(token, new Problems(), FIELD_TYPES) ?? { target: null }

const KEPT = { nullable: ':null', unique: ':unique', index: ':index', private: ':private' } as const

/** Keeps the modifiers that the new type accepts, and the default of the same type. */
function retyped(token: string, declared: string, problems: Problems): string {
  const [before, now] = [
    fieldWords(token, new Problems(), FIELD_TYPES),
    fieldWords(declared, problems, FIELD_TYPES),
  ]
  if (before === null || now === null) return declared
  const kept = Object.entries(KEPT).flatMap(([name, word]) => {
    const modifier = name as keyof typeof KEPT
    const isRejected = modifier !== 'private' && now.type.rejects?.[modifier] !== undefined
    const isDropped =
      now[modifier] !== null || isRejected || (modifier === 'nullable' && now.required !== null)
    return before[modifier] === null || isDropped ? [] : [word]
  })
  const usual = before.type === now.type && now.default === null ? before.default : null
  const end = fieldParts(declared, problems)?.default?.at ?? declared.length + 1
  const [head, rest] = [declared.slice(0, end - 1), declared.slice(end - 1)]
  return `${head}${kept.join('')}${rest}${usual ? `=${usual.text}` : ''}`
}

function required(token: string, option: Part, problems: Problems): string {
  const { nullable } = fieldWords(token, new Problems(), FIELD_TYPES) ?? {}
  if (!nullable) {
    problems.add(option, `${fieldNameIn(token)} is required already.`)
    return token
  }
  const isWord = token[nullable.at - 1] === ':'
  return token.slice(0, nullable.at - (isWord ? 1 : 0)) + token.slice(nullable.at + nullable.text.length)
}
