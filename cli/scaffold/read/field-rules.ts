import type { Field, FieldWords } from '../field-types/field-type.ts'
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
]
