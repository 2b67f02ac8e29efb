import type { Field } from '../field-types/field-type.ts'
import { joinOf } from '../many/join-code.ts'
import type { EditorsOption } from './editors-option.ts'
import type { Model } from '../model.ts'
import { type Problems, wholeOf } from '../read/command-line-problems.ts'

/** Returns the users that `--editors` names. Reports a field that is not a list of users. */
export function readEditors(
  { editors }: EditorsOption,
  { option, problems }: { option: (name: string, text: string) => Field | null; problems: Problems },
): Pick<Model, 'editors'> {
  const field = editors === undefined ? null : option('--editors', editors)
  if (field === null) return {}
  if (!field.target?.isUser || !field.type.isList)
    problems.add(
      wholeOf(`--editors ${field.name}`),
      `The editors of a record are a list of users: declare it as ${field.name}:many:user.`,
    )
  return { editors: field }
}

type Edited = Pick<Model, 'names' | 'editors'>

/** Returns code that lets a rule accept the editors of a record. */
export const orEditor = ({ names, editors }: Edited): string =>
  editors ? ` || ${names.record}.${editors.column}.some((id) => ctx.owns(id))` : ''

/** Returns the condition of a list for the records that the caller edits; none without editors. */
export function editorConditions({ names, editors }: Edited): string[] {
  if (editors === undefined) return []
  const { table, own, other } = joinOf({ names }, editors)
  const ids = `is.selectFrom('${table}').select('${own}').where('${other}', '=', ctx.userId)`
  // With an array, Postgres begins with the caller's few records. With `exists`, it reads the whole table.
  return [`sql<boolean>\`${names.table}.id = any(array(\${${ids}}))\``]
}

const EDITOR = 4

/** Returns the editor of the policy's test, and the column of its records that names them. */
export const editorOfTest = ({ editors }: Edited) =>
  editors
    ? {
        actors: [{ name: 'editor', code: `person(${EDITOR})` }],
        columns: [`${editors.column}: [${EDITOR}]`],
      }
    : { actors: [], columns: [] }
