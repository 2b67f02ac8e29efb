import type { Field, FieldWords } from '../field-types/field-type.ts'
import type { Part, Problems } from './command-line-problems.ts'

/** What the words of a field must not say together. */
interface Rule {
  /** The word that would be wrong, and is marked; without it there is nothing to say. */
  readonly at: (words: FieldWords) => Part | null | undefined
  readonly isBroken: (field: Field) => boolean
  readonly says: string
}

/** Tells of every rule that the field breaks. */
export function checkRules(field: Field, words: FieldWords, problems: Problems): void {
  for (const { at, isBroken, says } of RULES) {
    const part = at(words)
    if (part && isBroken(field)) problems.add(part, says)
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
    says: 'Nullable and required at once: write one of them.',
  },
  {
    at: (words) => words.default,
    isBroken: ({ unique }) => unique,
    says: 'Unique, and the same unless told: leave one of them out.',
  },
  {
    at: (words) => words.private,
    isBroken: ({ nullable, default: usual }) => !nullable && usual === undefined,
    says: 'No form fills in what is private: make it nullable with ? or :null, or give it a default.',
  },
]
