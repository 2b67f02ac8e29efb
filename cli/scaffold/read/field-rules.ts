import type { FieldWords } from './field-words.ts'
import type { Field, FieldType } from '../model.ts'
import { capital, withArticle } from './names.ts'
import type { Part, Problems } from './problems.ts'

/** What the words of a field must not say together. */
interface Rule {
  /** The word that would be wrong, and is marked; without it there is nothing to say. */
  readonly at: (words: FieldWords) => Part | null | undefined
  readonly isBroken: (field: Field) => boolean
  readonly says: string | ((field: Field) => string)
}

/** Tells of every rule that the field breaks. */
export function checkRules(field: Field, words: FieldWords, problems: Problems): void {
  for (const { at, isBroken, says } of RULES) {
    const part = at(words)
    if (part && isBroken(field)) problems.add(part, typeof says === 'string' ? says : says(field))
  }
}

const isOneOf =
  (...types: readonly FieldType[]) =>
  ({ type }: Field): boolean =>
    types.includes(type)

const RULES: readonly Rule[] = [
  {
    at: ({ required }) => required,
    isBroken: ({ nullable }) => nullable,
    says: 'Nullable and required at once: write one of them.',
  },
  {
    at: ({ nullable }) => nullable,
    isBroken: isOneOf('boolean'),
    says: 'A box is checked or it is not: leave this out, or use enum{yes,no,unknown}.',
  },
  {
    at: ({ unique }) => unique,
    isBroken: isOneOf('text'),
    says: "A text can't be unique: use string, which is short enough for it.",
  },
  {
    at: ({ unique }) => unique,
    isBroken: isOneOf('boolean', 'json', 'enum'),
    says: ({ type }) => `${capital(withArticle(type))} can't be unique.`,
  },
  {
    at: ({ index }) => index,
    isBroken: isOneOf('text'),
    says: 'A text may be too long for an index: use string.',
  },
  {
    at: ({ index }) => index,
    isBroken: isOneOf('json'),
    says: 'A json may be too long for an index: leave this out.',
  },
  {
    at: ({ name }) => name,
    isBroken: ({ type, column }) => type === 'bigint' && /(?:^|_)id$/.test(column),
    says: ({ column }) =>
      `Columns named ${column} are read as ids, which are numbers, and a bigint is more: ` +
      `make it a string, or call it otherwise, like ${column.replace(/id$/, 'number')}.`,
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
  {
    at: ({ constraints }) => constraints[0],
    isBroken: ({ onDelete, nullable }) => onDelete === 'set null' && !nullable,
    says: 'It can only become null when it is nullable: write ? or :null too.',
  },
  {
    at: ({ name }) => name,
    isBroken: ({ target, nullable }) => target?.isSelf === true && !nullable,
    says: 'The first record has none to refer to: make it nullable with ? or :null.',
  },
]
