import { isDeepStrictEqual } from 'node:util'
import { bothActions } from './actions/action-option.ts'
import type { Existing } from './existing.ts'
import type { Field, Target } from './field-types/field-type.ts'
import type { Model } from './model.ts'
import { type ScaffoldArguments, askedBy, type ModelOptions, optionNamed } from './read/options.ts'
import { fieldNameIn, type Names } from './read/names.ts'
import { Problems, wholeOf } from './read/command-line-problems.ts'
import { type ModelAndNotes, readModel } from './read/read-model.ts'
import { identifiersOf } from './project/resource-list.ts'
import type { ScaffoldRecord } from './project/record.ts'

/** An existing model with new fields or options. */
export interface ExtendedModel extends ModelAndNotes {
  readonly args: ScaffoldArguments
  /** The model without these fields and options; null for a new resource. */
  readonly was: Model | null
  /** The fields that the table lacks. */
  readonly added: readonly Field[]
}

/** Adds the fields and options of a command line to a scaffolded model. Throws if the existing table does not allow it. */
export function extendedModel(
  record: ScaffoldRecord,
  args: ScaffoldArguments,
  existing: Existing,
): ExtendedModel {
  const before = askedBy(record.scaffold.command)
  const others = without(existing, record.names)
  const was = readModel(asMade(before, record), others).model
  const problems = new Problems()
  checkOptions(before.options, args.options, { record, problems })
  const fresh = newTokens(was, args, { before, others, problems })
  problems.raise()
  const all = before.fields.length === 0 && fresh.length > 0 ? ['name:string'] : before.fields
  const merged: ScaffoldArguments = {
    name: before.name,
    fields: [...all, ...fresh],
    options: { ...before.options, ...args.options, ...bothActions(before.options, args.options) },
  }
  const { model, notes } = readModel(asMade(merged, record), others)
  const added = model.fields.filter(({ column }) => was.fields.every((field) => field.column !== column))
  for (const field of added) checkRows(field, args, problems)
  problems.raise()
  return { args: merged, was, model, notes: added.length > 0 ? notes : [], added }
}

/** Keeps the names that the resource was created with. */
function asMade(args: ScaffoldArguments, { names, scaffold }: ScaffoldRecord): ScaffoldArguments {
  const name = args.options.plural === undefined ? names.file : args.name
  return { ...args, name, options: { ...args.options, plural: scaffold.plural } }
}

export function without(existing: Existing, names: Names): Existing {
  const { resource, table, folder } = names
  return {
    ...existing,
    targets: existing.targets
      .filter(({ names }) => names.resource !== resource)
      .map((target) => (refersTo(target, table, existing) ? { ...target, refersBack: true } : target)),
    tables: but(existing.tables, table),
    folders: but(existing.folders, folder),
    paths: but(existing.paths, folder, `api/${folder}`),
    identifiers: but(existing.identifiers, ...identifiersOf(names)),
  }
}

/** Returns whether a resource refers to this table, directly or by other resources. */
function refersTo({ names }: Target, table: string, { targets, references }: Existing): boolean {
  const reached = new Set([names.table])
  for (const from of reached) {
    const { resource } = targets.find((target) => target.names.table === from)?.names ?? {}
    for (const reference of references) if (reference.from === resource) reached.add(reference.table)
  }
  return reached.has(table)
}

const but = (names: ReadonlySet<string>, ...left: string[]): ReadonlySet<string> =>
  new Set([...names].filter((name) => !left.includes(name)))

/** Options that can't change after the table is created. */
const OF_THE_TABLE = ['plural', 'in', 'pages', 'tenant', 'id', 'softDelete', 'version'] as const

function checkOptions(
  before: ModelOptions,
  now: ModelOptions,
  { record, problems }: { record: ScaffoldRecord; problems: Problems },
): void {
  const { plural } = record.scaffold
  const usual: ModelOptions = { plural, id: 'bigint', softDelete: false, version: false }
  for (const name of OF_THE_TABLE) {
    const [was, is] = [before[name] ?? usual[name], now[name]]
    if (is === undefined || is === was) continue
    const option = optionNamed(name, is)
    problems.add(
      wholeOf(typeof is === 'string' ? `${option} ${is}` : option),
      `${record.names.table} was created with another value. Write a migration, or destroy the resource and scaffold it again.`,
    )
  }
}

/** Returns the declarations of new fields. Reports existing fields that are declared differently. */
function newTokens(
  was: Model,
  args: ScaffoldArguments,
  { before, others, problems }: { before: ScaffoldArguments; others: Existing; problems: Problems },
): string[] {
  if (args.fields.length === 0) return []
  // New fields may name the others.
  const kept = before.fields.filter((one) => args.fields.every((other) => nameIn(one) !== nameIn(other)))
  const { fields } = readModel(
    {
      ...args,
      fields: [...kept, ...args.fields],
      name: was.names.resource,
      options: { plural: was.names.table, ...(was.tenant && { tenant: was.tenant.column }) },
    },
    others,
  ).model
  return args.fields.filter((token, index) => {
    const field = fields[kept.length + index]
    const same = was.fields.find(({ column }) => column === field?.column)
    if (same && field && !isDeepStrictEqual(plain(same), plain(field)))
      problems.add(
        wholeOf(token),
        `${was.names.table} already has a different ${same.column}. Use a new name, or change it with --type.`,
      )
    return same === undefined
  })
}

const nameIn = (token: string) => fieldNameIn(token).replace(/_id$/, '')

/** Returns the field without the parts that depend on other fields. */
const plain = ({ target, ...field }: Field) => ({ ...field, table: target?.names.table })

/** Reports a required field for which existing rows have no value. */
function checkRows(
  { name, column, target, nullable, unique, default: value }: Field,
  args: ScaffoldArguments,
  problems: Problems,
): void {
  if (nullable || value !== undefined || !(unique || target)) return
  const token = args.fields.find((token) => [name, column].includes(fieldNameIn(token))) ?? name
  const later = `When all have one: npx cli scaffold … --require ${name}.`
  problems.add(wholeOf(token), `Existing rows have no ${name}. Make it nullable, with ? or :null. ${later}`)
}
