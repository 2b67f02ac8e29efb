import { checkComputed } from '../computed/computed.ts'
import type { Field, FieldWords } from '../field-types/field-type.ts'
import { checkWithin } from '../unique-within/unique-within.ts'
import { namesOf } from './names.ts'
import type { Part, Problems } from './command-line-problems.ts'

/** A combination of words that is not valid in a field. */
interface Rule {
  /** Returns the word that the message marks. The rule does not apply if the word is missing. */
  readonly at: (words: FieldWords) => Part | null | undefined
  readonly isBroken: (field: Field) => boolean
  readonly message: string
}

/** Reports every rule that the field breaks. */
export function checkRules(field: Field, words: FieldWords, problems: Problems): void {
  for (const { at, isBroken, message } of RULES) {
    const part = at(words)
    if (part && isBroken(field)) problems.add(part, message)
  }
  for (const [modifier, message] of Object.entries(field.type.rejects ?? {})) {
    const part = words[modifier as 'nullable' | 'unique' | 'index']
    if (part) problems.add(part, message)
  }
  field.type.check?.(field, words, problems)
}

/** Reports fields that don't fit together. */
export function checkTogether(
  all: readonly { readonly each: FieldWords; readonly field: Field }[],
  problems: Problems,
): void {
  for (const [at, { each, field }] of all.entries()) {
    const before = all.slice(0, at)
    const same = before.find((one) => one.field.column === field.column)
    const alike = before.find((one) => listOf(one.field) !== null && listOf(one.field) === listOf(field))
    const message = same
      ? `${same.each.token} also has the column ${field.column}: give one of them another name.`
      : alike &&
        `${alike.field.name} and ${field.name} have the same plural: use another name for one of them.`
    if (message) problems.add(each.name, message)
  }
  checkWithin(all, problems)
  checkComputed(all, problems)
}

/** Returns the plural name for the values of an enum or the labels of a reference; null for other fields. */
const listOf = ({ type, name, values, target }: Field): string | null =>
  values || target ? `${target ? 'labels' : type.name} ${namesOf(name).table}` : null

const RULES: readonly Rule[] = [
  {
    at: ({ required }) => required,
    isBroken: ({ nullable }) => nullable,
    message: "A field can't be both nullable and required: remove one of them.",
  },
  {
    at: (words) => words.default,
    isBroken: ({ unique }) => unique,
    message: "A unique field can't have a default: remove one of them.",
  },
  {
    at: (words) => words.private,
    isBroken: ({ nullable, default: usual }) => !nullable && usual === undefined,
    message: 'A private field is not in the form: make it nullable with ? or :null, or add a default.',
  },
  {
    at: (words) => words.ordered,
    isBroken: ({ type }) => type.isList !== true,
    message: 'Only a list of other records has an order: tags:many:tag:ordered.',
  },
]
