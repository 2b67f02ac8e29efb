import { choices, nearest } from '../../nearest.ts'
import { type FieldParts, fieldParts, type Word } from './field-parts.ts'
import type { FieldType, FieldWords } from '../field-types/field-type.ts'
import type { Part, Problems } from './command-line-problems.ts'

type Modifier = 'nullable' | 'required' | 'unique' | 'index' | 'private' | 'ordered'

const MODIFIERS: Readonly<Record<string, Modifier>> = {
  null: 'nullable',
  '?': 'nullable',
  required: 'required',
  '!': 'required',
  unique: 'unique',
  '^': 'unique',
  index: 'index',
  private: 'private',
  ordered: 'ordered',
}
const NO_MODIFIERS = Object.fromEntries(Object.values(MODIFIERS).map((name) => [name, null])) as Readonly<
  Record<Modifier, null>
>
const WITH_ARGUMENT = ['default', 'min', 'max', 'as']
const OTHERS = Object.keys(MODIFIERS).filter((word) => /\w/.test(word))
const WORDS = [...OTHERS, ...WITH_ARGUMENT.map((word) => `${word}(…)`)]

/** Reads the words of a field. Reports unknown words and returns null. */
export function fieldWords(
  token: string,
  problems: Problems,
  types: readonly [FieldType, ...FieldType[]],
): FieldWords | null {
  const parts = fieldParts(token, problems)
  if (parts === null) return null
  const problemCount = problems.list.length
  const [first, ...others] = parts.words
  const isType =
    first !== undefined &&
    !Object.hasOwn(MODIFIERS, first.text) &&
    (first.argument === null || types.some(({ name, takesField }) => takesField && name === first.text))
  const type = isType ? typeOf(first, problems, types) : types[0]
  const words = isType ? others : parts.words
  const named = (type?.isReference || type?.takesField) && isTarget(words[0]) ? words[0] : null
  const modifierWords = named ? words.slice(1) : words
  const attributes = {
    ...modifiers([...modifierWords, ...parts.symbols], problems),
    ...values(modifierWords, parts, problems),
  }
  if (type === null || problems.list.length > problemCount) return null
  const own = type.takesField
    ? { target: first?.argument ?? null, constraints: [...(named ? [named] : []), ...parts.constraints] }
    : { target: named, constraints: parts.constraints }
  return { token, name: parts.name, type, ...own, ...attributes }
}

function typeOf(word: Part, problems: Problems, types: readonly FieldType[]): FieldType | null {
  const type = types.find(({ name }) => name === word.text)
  if (type !== undefined) return type
  const names = types.map(({ name }) => name)
  const suggestion =
    types.find(({ aliases = [] }) => aliases.includes(word.text))?.name ??
    nearest(word.text, [...names, ...Object.keys(MODIFIERS)])
  const named = word.text === '' ? 'The type after the colon is missing.' : `Unknown type ${word.text}.`
  problems.add(word, `${named} ${choices(names, suggestion)}`)
  return null
}

const isTarget = (word: Word | undefined): word is Word =>
  word !== undefined && word.argument === null && !Object.hasOwn(MODIFIERS, word.text)

function modifiers(
  words: readonly (Part & Partial<Word>)[],
  problems: Problems,
): Record<Modifier, Part | null> {
  const wordOf: Record<Modifier, Part | null> = { ...NO_MODIFIERS }
  for (const word of words) {
    const modifier = Object.hasOwn(MODIFIERS, word.text) ? MODIFIERS[word.text] : undefined
    if (modifier !== undefined && modifier !== 'unique' && word.argument)
      problems.add(word.argument, `${word.text} has no argument in parentheses.`)
    else if (modifier !== undefined) wordOf[modifier] = word
    else if (!(word.argument && WITH_ARGUMENT.includes(word.text))) problems.add(word, noSuchWord(word))
  }
  return wordOf
}

function noSuchWord({ text, argument }: Part & Partial<Word>): string {
  if (WITH_ARGUMENT.includes(text) && !argument) return `${text} needs a value: write ${text}(…).`
  const suggestion = nearest(text, [...Object.keys(MODIFIERS), ...WITH_ARGUMENT])
  const named = text === '' ? 'The word after the colon is missing.' : `Unknown word ${text}.`
  return `${named} ${choices(WORDS, suggestion)}`
}

function values(words: readonly Word[], parts: FieldParts, problems: Problems) {
  const argumentsNamed = (name: string) =>
    words.filter(({ text, argument }) => text === name && argument).map(argumentOf)
  return {
    min: problems.once(argumentsNamed('min')),
    max: problems.once(argumentsNamed('max')),
    as: problems.once(argumentsNamed('as')),
    default: problems.once([...argumentsNamed('default'), ...(parts.default ? [parts.default] : [])]),
  }
}

const argumentOf = (word: Word): Part => word.argument ?? word
