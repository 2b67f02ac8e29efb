import { choices, nearest } from '../../nearest.ts'
import type { Field } from '../field-types/field-type.ts'
import { FIELD_TYPES } from '../field-types/field-types.ts'
import type { Model } from '../model.ts'
import { type Part, Problems, wholeOf } from '../read/command-line-problems.ts'
import { fieldParts } from '../read/field-parts.ts'
import { fieldWords } from '../read/field-words.ts'
import { computedRenamed, refuseRemovedColumns } from './changed-expressions.ts'
import { currencyRenamed, refuseRemovedCurrencies } from '../money/changed-currencies.ts'
import { refuseRemoved, withinRenamed } from '../unique-within/unique-within.ts'
import { fieldNameIn, wordsOf } from '../read/names.ts'
import type { ChangeOptions } from './change-options.ts'

/** A field before the changes, and its declaration after them; null if it is removed. */
interface Declaration {
  readonly was: Field
  readonly token: string | null
}

/** Returns the declaration of each field after the changes. Reports an option with an unknown field. */
export function changedTokens(
  tokens: readonly string[],
  model: Model,
  { changes, problems }: { changes: ChangeOptions; problems: Problems },
): Declaration[] {
  const { fields, names } = model
  const all = fields.map((was, at): Declaration => ({ was, token: tokens[at] ?? null }))
  const change = (option: Part, name: string, changed: (token: string, was: Field) => string | null) => {
    const at = indexOf(name, all)
    const one = all[at]
    if (one?.token) all[at] = { ...one, token: changed(one.token, one.was) }
    else problems.add(option, unknown(name, all))
  }
  for (const text of changes.rename ?? []) {
    const option = wholeOf(`--rename ${text}`)
    const [old = '', name = '', ...more] = text.split(':')
    if (!/^[a-z][\w -]*$/i.test(name) || more.length > 0)
      problems.add(option, 'Write the old and the new name: --rename due_date:due_at.')
    else if (isTaken(name, model, all))
      problems.add(
        option,
        `${names.titles} already have a field ${name}. Choose another name, or use two commands.`,
      )
    else {
      const to = wordsOf(name).join('_')
      change(option, old, (token, was) => renamed(token, was, to))
      renameUses(all, all[indexOf(to, all)]?.was, to)
    }
  }
  for (const text of changes.type ?? []) {
    const option = wholeOf(`--type ${text}`)
    if (text.includes(':')) change(option, fieldNameIn(text), (token) => retyped(token, text, problems))
    else problems.add(option, 'Write the field and its new type: --type priority:integer.')
  }
  for (const text of changes.require ?? []) {
    const option = wholeOf(`--require ${text}`)
    change(option, text, (token) => required(token, option, problems))
  }
  for (const text of changes.remove ?? []) {
    const option = wholeOf(`--remove ${text}`)
    change(option, text, (token, was) => {
      if (token !== tokens[fields.indexOf(was)])
        problems.add(option, 'Another option changes this field. Use one of them.')
      return null
    })
  }
  refuseRemoved(all, problems)
  refuseRemovedColumns(all, problems)
  refuseRemovedCurrencies(all, problems)
  if (all.every(({ token }) => token === null))
    problems.add(
      wholeOf(`--remove ${changes.remove?.at(-1) ?? ''}`),
      `A resource has a field. To remove ${names.humans}, use npx cli destroy ${names.file}.`,
    )
  return all
}

/** Gives a field its new name in the declarations of the others: in keys, expressions and amounts. */
function renameUses(all: Declaration[], field: Field | undefined, to: string): void {
  if (field === undefined) return
  const { name, column } = field
  const renamedIn = (token: string) =>
    computedRenamed(
      currencyRenamed(withinRenamed(token, name, to), name, to),
      column,
      column.replace(name, to),
    )
  for (const [at, { was, token }] of all.entries()) all[at] = { was, token: token && renamedIn(token) }
}

/** A column keeps its name until the migration ends, also if the same command renames it. */
const isTaken = (text: string, { fields }: Model, all: readonly Declaration[]): boolean => {
  const name = wordsOf(text).join('_')
  return indexOf(text, all) !== -1 || fields.some((field) => [field.name, field.column].includes(name))
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

/** Returns the words of a valid declaration. */
const wordsIn = (token: string) => fieldWords(token, new Problems(), FIELD_TYPES)

/** A reference that names no model is to the model with the name of the field. */
function renamed(token: string, { target, name: before }: Field, name: string): string {
  const rest = token.slice(fieldParts(token, new Problems())?.name.text.length)
  if (!target || wordsIn(token)?.target) return `${name}${rest}`
  return `${name}${rest.replace(/^:\w+/, (type) => `${type}:${target.isSelf ? 'self' : before}`)}`
}

const MODIFIERS = { nullable: ':null', unique: ':unique', index: ':index', private: ':private' } as const

/** Keeps the modifiers that the new type accepts, and the default of the same type. */
function retyped(token: string, declared: string, problems: Problems): string {
  const [before, now] = [wordsIn(token), fieldWords(declared, problems, FIELD_TYPES)]
  if (before === null || now === null) return declared
  const kept = Object.entries(MODIFIERS).flatMap(([name, word]) => {
    const modifier = name as keyof typeof MODIFIERS
    const isRejected = modifier !== 'private' && now.type.rejects?.[modifier] !== undefined
    const isSet = now[modifier] !== null || (modifier === 'nullable' && now.required !== null)
    const within = name === 'unique' && before.unique?.argument ? `(${before.unique.argument.text})` : ''
    return before[modifier] === null || isSet || isRejected ? [] : [word + within]
  })
  const byDefault = before.type === now.type && now.default === null ? before.default : null
  const end = fieldParts(declared, problems)?.default?.at ?? declared.length + 1
  const [head, rest] = [declared.slice(0, end - 1), declared.slice(end - 1)]
  return `${head}${kept.join('')}${rest}${byDefault ? `=${byDefault.text}` : ''}`
}

function required(token: string, option: Part, problems: Problems): string {
  const part = wordsIn(token)?.nullable
  if (!part) {
    problems.add(option, `${fieldNameIn(token)} is required already.`)
    return token
  }
  const isWord = token[part.at - 1] === ':'
  return token.slice(0, part.at - (isWord ? 1 : 0)) + token.slice(part.at + part.text.length)
}
