import { choices, nearest } from '../../nearest.ts'
import { type FieldParts, fieldParts, type Word } from './field-parts.ts'
import { FIELD_TYPES, type FieldType } from '../model.ts'
import type { Part, Problems } from './problems.ts'

/** A field of the command line by its words, its values still text. */
export interface FieldWords {
  readonly token: string
  readonly name: Part
  readonly type: FieldType
  /** `user` of `author:references:user`. */
  readonly target: Part | null
  readonly constraints: readonly Part[]
  readonly default: Part | null
  readonly min: Part | null
  readonly max: Part | null
  readonly nullable: Part | null
  readonly required: Part | null
  readonly unique: Part | null
  readonly index: Part | null
  readonly private: Part | null
}

type Modifier = 'nullable' | 'required' | 'unique' | 'index' | 'private'

const MODIFIERS: Readonly<Record<string, Modifier>> = {
  null: 'nullable',
  '?': 'nullable',
  required: 'required',
  '!': 'required',
  unique: 'unique',
  '^': 'unique',
  index: 'index',
  private: 'private',
}
const WITH_ARGUMENT = ['default', 'min', 'max']
const WORDS = ['null', 'required', 'unique', 'index', 'private', 'default(…)', 'min(…)', 'max(…)']

/** What other tools call our types. */
const OTHER_NAMES: Readonly<Record<string, FieldType>> = {
  bigserial: 'bigint',
  belongs_to: 'references',
  bool: 'boolean',
  char: 'string',
  double: 'float',
  int: 'integer',
  jsonb: 'json',
  map: 'json',
  money: 'decimal',
  number: 'integer',
  numeric: 'decimal',
  object: 'json',
  reference: 'references',
  str: 'string',
  timestamp: 'datetime',
  timestamptz: 'datetime',
  varchar: 'string',
}

/** Reads the words of a field; null, with every problem told, where one of them means nothing. */
export function fieldWords(token: string, problems: Problems): FieldWords | null {
  const parts = fieldParts(token, problems)
  if (parts === null) return null
  const told = problems.found.length
  const [first, ...others] = parts.words
  const isType = first !== undefined && first.argument === null && !Object.hasOwn(MODIFIERS, first.text)
  const type = isType ? typeOf(first, problems) : 'string'
  const words = isType ? others : parts.words
  const target = type === 'references' && isTarget(words[0]) ? words[0] : null
  const rest = target ? words.slice(1) : words
  const found = { ...modifiers([...rest, ...parts.symbols], problems), ...values(rest, parts, problems) }
  if (type === null || problems.found.length > told) return null
  return { token, name: parts.name, type, target, constraints: parts.constraints, ...found }
}

function typeOf(word: Part, problems: Problems): FieldType | null {
  const type = FIELD_TYPES.find((type) => type === word.text)
  if (type !== undefined) return type
  const meant = Object.hasOwn(OTHER_NAMES, word.text)
    ? OTHER_NAMES[word.text]
    : nearest(word.text, [...FIELD_TYPES, ...Object.keys(MODIFIERS)])
  const named = word.text === '' ? 'A type is missing behind the colon.' : `There is no type ${word.text}.`
  problems.add(word, `${named} ${choices(FIELD_TYPES, meant)}`)
  return null
}

const isTarget = (word: Word | undefined): word is Word =>
  word !== undefined && word.argument === null && !Object.hasOwn(MODIFIERS, word.text)

function modifiers(
  words: readonly (Part & Partial<Word>)[],
  problems: Problems,
): Record<Modifier, Part | null> {
  const found: Record<Modifier, Part | null> = {
    nullable: null,
    required: null,
    unique: null,
    index: null,
    private: null,
  }
  for (const word of words) {
    const modifier = Object.hasOwn(MODIFIERS, word.text) ? MODIFIERS[word.text] : undefined
    if (modifier !== undefined && word.argument)
      problems.add(word.argument, `${word.text} takes nothing in parentheses.`)
    else if (modifier !== undefined) found[modifier] = word
    else if (!(word.argument && WITH_ARGUMENT.includes(word.text))) problems.add(word, noSuchWord(word))
  }
  return found
}

function noSuchWord({ text, argument }: Part & Partial<Word>): string {
  if (WITH_ARGUMENT.includes(text) && !argument) return `${text} needs a value: write ${text}(…).`
  const meant = nearest(text, [...Object.keys(MODIFIERS), ...WITH_ARGUMENT])
  const named = text === '' ? 'A word is missing behind the colon.' : `${text} means nothing here.`
  return `${named} ${choices(WORDS, meant)}`
}

function values(words: readonly Word[], parts: FieldParts, problems: Problems) {
  const given = (name: string) =>
    words.filter(({ text, argument }) => text === name && argument).map(argumentOf)
  return {
    min: problems.once(given('min')),
    max: problems.once(given('max')),
    default: problems.once([...given('default'), ...(parts.default ? [parts.default] : [])]),
  }
}

const argumentOf = (word: Word): Part => word.argument ?? word
