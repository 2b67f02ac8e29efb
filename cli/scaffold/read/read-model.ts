import { type Existing, nameConflict } from '../existing.ts'
import { FIELD_TYPES } from '../field-types/field-types.ts'
import { fieldOf, type Owner, strangeCharacter } from './declared-field.ts'
import { checkTogether } from './field-rules.ts'
import { fieldWords } from './field-words.ts'
import type { Field, FieldType } from '../field-types/field-type.ts'
import { fromTableOf } from '../from-table/from-options.ts'
import { readActions } from '../actions/actions.ts'
import type { Model, Tenants } from '../model.ts'
import { withCurrencies } from '../money/currencies.ts'
import { type Names, namesOf, wordsOf } from './names.ts'
import type { ScaffoldArguments, ModelOptions } from './options.ts'
import { Problems, wholeOf } from './command-line-problems.ts'
import { reservedName } from './reserved.ts'
import { roles } from './field-roles.ts'
import { readTenant } from '../tenants/read-tenant.ts'

export interface ModelAndNotes {
  readonly model: Model
  /** Sentences about defaults that the user may not expect. */
  readonly notes: readonly string[]
}

/** The maximum number of fields. A form can have a hundred parameters. */
const MOST_FIELDS = 90

/** Returns the model that a command line declares. Throws `WrongCommandLine` with all of its problems. */
export function readModel(
  { name, fields: tokens, options }: ScaffoldArguments,
  existing: Existing,
  types = FIELD_TYPES,
): ModelAndNotes {
  const problems = new Problems()
  const names = readNames(name, options, problems)
  if (names) checkFree(name, names, { existing, problems })
  const id = idKind(options, problems)
  const owner = { names: names ?? namesOf('thing'), id, existing, types }
  const fields = readFields(tokens.length > 0 ? tokens : ['name:string'], owner, problems)
  const chosen = roles(fields, options, { problems, tokens })
  const actions = readActions(options, { fields, names: owner.names }, problems)
  const tenant = readTenant(options, fields, { existing, problems })
  problems.raise()
  const model: Model = {
    ...fromTableOf(options),
    names: owner.names,
    fields: fields.map((field) => withOwnFacts(field, { label: chosen.label, tenant, options })),
    ...chosen,
    ...(tenant && { tenant }),
    actions,
    api: options.api ?? true,
    id,
    softDelete: options.softDelete ?? false,
    version: options.version ?? false,
    tests: options.tests ?? true,
  }
  return { model, notes: notes(model, name, { tokens, options }) }
}

/** Returns the names. Reports a problem and returns null if the text can't be a name. */
function readNames(text: string, { plural }: ModelOptions, problems: Problems): Names | null {
  const problemCount = problems.list.length
  for (const name of [text, ...(plural === undefined ? [] : [plural])]) {
    const strange = strangeCharacter(wholeOf(name))
    if (strange) problems.add(strange.part, strange.message)
  }
  if (problems.list.length > problemCount) return null
  const names = namesOf(text, { plural })
  const written = [
    [text, names.file],
    [plural ?? text, names.folder],
  ] as const
  for (const [given, name] of written) {
    const message = reservedName(name.replaceAll('-', '_'))
    if (message === null) continue
    problems.add(wholeOf(given), message)
    return null
  }
  if (names.table.length <= 50) return names
  const problem = `${names.table} has ${names.table.length} characters, too many for Postgres: use 50 or fewer.`
  problems.add(wholeOf(text), problem)
  return null
}

function checkFree(
  text: string,
  names: Names,
  { existing, problems }: { existing: Existing; problems: Problems },
): void {
  const conflict = nameConflict(names, existing)
  if (conflict === null) return
  const suggestion = `my_${wordsOf(names.file).join('_')}`
  problems.add(
    wholeOf(text),
    `${names.resource} can't be created: ${conflict}. Use another name, like ${suggestion}, or another --plural.`,
  )
}

function idKind({ id = 'bigint' }: ModelOptions, problems: Problems): Model['id'] {
  if (id === 'bigint' || id === 'uuid') return id
  problems.add(wholeOf(`--id ${id}`), 'Ids are bigint or uuid.')
  return 'bigint'
}

function readFields(
  tokens: readonly string[],
  owner: Owner & { readonly types: typeof FIELD_TYPES },
  problems: Problems,
): Field[] {
  if (tokens.length > MOST_FIELDS) {
    problems.add(
      wholeOf(tokens[MOST_FIELDS] ?? ''),
      `${tokens.length} fields are too many for a form: use ${MOST_FIELDS} or fewer.`,
    )
    return []
  }
  const expanded = bracesTakenApart(tokens, owner.types)
  if (expanded !== null) {
    problems.add(
      wholeOf(expanded),
      "The shell expanded the braces. Put the field in quotes, 'title:string{1..200}', or use colons instead: title:string:1..200, state:enum:draft,published.",
    )
    return []
  }
  const words = tokens.flatMap((token) => fieldWords(token, problems, owner.types) ?? [])
  const fields = withCurrencies(words, problems).flatMap((each) => {
    const field = fieldOf(each, owner, problems)
    return field ? [{ each, field }] : []
  })
  checkTogether(fields, problems)
  return fields.map(({ field }) => field)
}

/** Returns a message if the shell expanded braces: `title:string{1..3}` to `title:string1 title:string2 title:string3`. */
function bracesTakenApart(tokens: readonly string[], types: readonly FieldType[]): string | null {
  const pattern = new RegExp(`^(\\w+):(?:${types.map(({ name }) => name).join('|')})([\\w.-]+)`)
  const cut = tokens.map((token) => pattern.exec(token)?.[1])
  const at = cut.findIndex((name, index) => name !== undefined && name === cut[index + 1])
  return at === -1 ? null : (tokens[at] ?? null)
}

type OwnFacts = { label: Field | null; tenant: Tenants | undefined; options: ModelOptions }

/** Sets the facts of a reference to the resource itself. They are chosen after the fields are read. */
function withOwnFacts(field: Field, { label, tenant, options }: OwnFacts): Field {
  if (!field.target?.isSelf) return field
  const isNested = options.in !== undefined && !options.pages
  const own = { label: label?.column ?? 'id', isNested, ...(tenant && { tenant: tenant.column }) }
  return { ...field, target: { ...field.target, ...own } }
}

function notes(
  { names, fields, owner }: Model,
  text: string,
  { tokens, options }: { tokens: readonly string[]; options: ModelOptions },
): string[] {
  const toUsers = fields.filter(({ target, type }) => target?.isUser && !type.isList)
  return [
    ...(tokens.length === 0 ? ['Without declared fields, the resource has one field: name:string.'] : []),
    ...(wordsOf(text).join('-') === names.file
      ? []
      : [`${text} is a plural. Its singular is ${names.human}.`]),
    ...(names.file === names.folder && options.plural === undefined
      ? [
          `The plural of ${names.human} is the same word, so the repository is ${names.many}. Choose another plural with --plural.`,
        ]
      : []),
    ...(names.folder === names.table.replaceAll('_', '-')
      ? []
      : [
          `The application has a folder ${names.table}, so the folder and the path are ${names.folder}. Choose another name with --plural.`,
        ]),
    ...(owner === null && toUsers.length > 0 && options.owner === undefined
      ? [
          `Records have no owner: ${toUsers.map(({ name }) => name).join(', ')} ${toUsers.length > 1 ? 'are equally likely' : 'is nullable'}. Choose one with --owner.`,
        ]
      : []),
  ]
}
