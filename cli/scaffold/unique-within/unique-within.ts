import { choices, nearest } from '../../nearest.ts'
import type { Field, FieldWords } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { type Problems, wholeOf } from '../read/command-line-problems.ts'
import { wordsOf } from '../read/names.ts'

/** Returns the fields within which a field is unique: `project` for `number:integer:unique(project)`. */
export const withinOf = ({ unique }: FieldWords): Pick<Field, 'within'> =>
  unique?.argument ? { within: unique.argument.text.split(',').map((name) => wordsOf(name).join('_')) } : {}

/** Returns the columns of a unique key: those within which the field is unique, and its own. */
export const uniqueColumns = ({ fields }: Pick<Model, 'fields'>, field: Field): string[] =>
  [...fieldsWithin(fields, field), field].map(({ column }) => column)

/** Returns the fields within which a field is unique. */
export const fieldsWithin = (fields: readonly Field[], { within = [] }: Field): Field[] =>
  within.flatMap((name) => fields.find((field) => field.name === name) ?? [])

/** Whether a key of the field alone makes it unique. */
export const isUniqueAlone = ({ unique, within }: Field): boolean => unique && within === undefined

/** Reports names of fields within which a field can't be unique. */
export function checkWithin(
  all: readonly { readonly each: FieldWords; readonly field: Field }[],
  problems: Problems,
): void {
  const names = all.map(({ field }) => field.name)
  for (const { each, field } of all)
    for (const name of field.within ?? []) {
      const other = all.find((one) => one.field.name === name)?.field
      const message = other
        ? refusalOf(field, other)
        : `Unknown field ${name}. ${choices(names, nearest(name, names))}`
      if (message !== null && each.unique) problems.add(each.unique.argument ?? each.unique, message)
    }
}

function refusalOf(field: Field, other: Field): string | null {
  if (field === other) return `Name the other fields of the key: ${field.name}:unique(project).`
  if (other.type.isList) return `${other.name} is in a table of its own: choose a field with a column.`
  return other.nullable ? `Rows without ${other.name} would never be equal: make it required.` : null
}

/** Reports a removed field within which another one is unique. */
export function refuseRemoved(
  all: readonly { readonly was: Field; readonly token: string | null }[],
  problems: Problems,
): void {
  for (const { was } of all.filter(({ token }) => token === null)) {
    const other = all.find((one) => one.token !== null && one.was.within?.includes(was.name))
    if (other)
      problems.add(
        wholeOf(`--remove ${was.name}`),
        `${other.was.name} is unique within ${was.name}. Remove both, or add another field instead.`,
      )
  }
}

const ARGUMENT = /(?<=:unique\()[^)]*(?=\))/

/** Returns the declaration of a field after another one has a new name. */
export const withinRenamed = (token: string, from: string, to: string): string =>
  token.replace(ARGUMENT, (names) =>
    names
      .split(',')
      .map((name) => (wordsOf(name).join('_') === from ? to : name))
      .join(','),
  )
