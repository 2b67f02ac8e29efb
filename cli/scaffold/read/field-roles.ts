import { choices, nearest } from '../../nearest.ts'
import { readEditors } from '../editors/editors.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { fieldNameIn, wordsOf } from './names.ts'
import type { ModelOptions } from './options.ts'
import { type Problems, wholeOf } from './command-line-problems.ts'

type Roles = Pick<Model, 'label' | 'owner' | 'cursor' | 'readers' | 'editors'>

const OWNERS = ['owner', 'author', 'user']
const LABELS = ['name', 'title', 'label', 'subject']
/** Chooses the label, the owner, the cursor and the readers, by the options or by the names and types of the fields. */
export function roles(fields: readonly Field[], options: ModelOptions, declarations: Declarations): Roles {
  const { problems } = declarations
  const option = (name: string, text: string) => named(fields, { name, text }, declarations)
  return {
    label:
      options.label === undefined ? usualLabel(fields) : label(option('--label', options.label), problems),
    owner: options.owner === undefined ? usualOwner(fields) : owner(options.owner, { option, problems }),
    cursor: cursor(options.cursor, { option, problems }),
    readers: readers(options, { option, problems }),
    ...readEditors(options, { option, problems }),
  }
}

interface Declarations {
  readonly problems: Problems
  /** The declarations of all fields, including the invalid ones. */
  readonly tokens: readonly string[]
}

interface Choice {
  readonly option: (name: string, text: string) => Field | null
  readonly problems: Problems
}

function usualLabel(fields: readonly Field[]): Field | null {
  const shown = fields.filter((field) => !field.private && !field.nullable)
  const texts = shown.filter(({ type }) => type.label === 'first choice')
  const others = shown.filter(({ type }) => type.label === 'second choice')
  return (
    LABELS.flatMap((name) => texts.filter((field) => field.name === name))[0] ?? texts[0] ?? others[0] ?? null
  )
}

function label(field: Field | null, problems: Problems): Field | null {
  if (field === null) return null
  const token = wholeOf(`--label ${field.name}`)
  if (field.private)
    problems.add(token, `${field.name} is private, and a label is shown: choose another field.`)
  else if (field.nullable)
    problems.add(token, `${field.name} may be empty, and a label needs a value: choose another field.`)
  else if (field.type.label === undefined)
    problems.add(
      token,
      `A field of type ${field.type.name} can't be a label: choose a short field, like a string.`,
    )
  return field
}

const canOwn = ({ target, nullable, private: secret }: Field): boolean =>
  target?.isUser === true && !nullable && !secret

function usualOwner(fields: readonly Field[]): Field | null {
  const named = OWNERS.flatMap((name) => fields.filter((field) => field.name === name && canOwn(field)))
  const toUsers = fields.filter(({ target, type }) => target?.isUser && !type.isList)
  const [only] = toUsers.length === 1 ? toUsers.filter(canOwn) : []
  return named[0] ?? only ?? null
}

function owner(text: string, { option, problems }: Choice): Field | null {
  if (text === 'none') return null
  const field = option('--owner', text)
  const token = wholeOf(`--owner ${text}`)
  if (field && !field.target?.isUser)
    problems.add(token, `An owner is a user: declare it as ${field.name}:references:user.`)
  else if (field?.nullable)
    problems.add(token, `${field.name} may be empty, and each record needs an owner: choose another field.`)
  else if (field?.private)
    problems.add(token, `${field.name} is private, and policies can't read it: remove :private.`)
  return field
}

function cursor(text: string | undefined, { option, problems }: Choice): string | null {
  if (text === undefined || text === 'created_at' || text === 'id') return text ?? null
  const field = option('--cursor', text)
  if (field === null) return null
  const token = wholeOf(`--cursor ${text}`)
  if (field.nullable || field.private)
    problems.add(
      token,
      `${field.name} is ${field.private ? 'private' : 'nullable'}, and a cursor needs a value that can be shown: use created_at.`,
    )
  else if (!(field.type.isCursor ?? field.type.isSortable))
    problems.add(token, `A field of type ${field.type.name} can't be a cursor: use created_at.`)
  return field.column
}

function readers({ publicRead, publicWhen }: ModelOptions, { option, problems }: Choice): Model['readers'] {
  if (publicWhen === undefined) return publicRead === true ? 'everybody' : 'members'
  const token = wholeOf(`--public-when ${publicWhen}`)
  if (publicRead === true)
    problems.add(token, '--public-read already makes all records public. Remove one of the options.')
  const field = option('--public-when', publicWhen)
  if (field === null) return 'members'
  if (!field.type.isCheckbox) problems.add(token, `${field.name} is not a boolean: use a boolean field.`)
  else if (field.private) problems.add(token, `${field.name} is private: use another boolean.`)
  return { when: field }
}

function named(
  fields: readonly Field[],
  { name, text }: { name: string; text: string },
  { problems, tokens }: Declarations,
): Field | null {
  const fieldName = wordsOf(text).join('_')
  const field = fields.find(({ name, column }) => name === fieldName || column === fieldName)
  if (field) return field
  // The field exists, but its declaration has another problem, which is already reported.
  if (tokens.some((token) => fieldNameIn(token) === fieldName)) return null
  const names = fields.map(({ name }) => name)
  problems.add(
    { token: `${name} ${text}`, at: name.length + 1, text },
    `Unknown field ${text}. ${choices(names, nearest(fieldName, names))}`,
  )
  return null
}
