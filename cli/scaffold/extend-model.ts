import { isDeepStrictEqual } from 'node:util'
import type { Existing } from './existing.ts'
import type { Field } from './field-types/field-type.ts'
import type { Model } from './model.ts'
import type { Names } from './read/names.ts'
import { type Asked, askedBy, type ModelOptions } from './read/options.ts'
import { fieldNameIn } from './read/names.ts'
import { Problems, wholeOf } from './read/command-line-problems.ts'
import { type ModelAndNotes, readModel } from './read/read-model.ts'
import { identifiersOf } from './project/resource-list.ts'
import type { Found } from './project/record.ts'

/** A model that is there and what it becomes. */
export interface ExtendedModel extends ModelAndNotes {
  readonly asked: Asked
  /** What it was; null for one that is new. */
  readonly was: Model | null
  /** Fields that the table doesn't have yet. */
  readonly added: readonly Field[]
}

/** What becomes of a scaffolded model by a command line with more fields, or other options; throws for what can't be. */
export function extendedModel(found: Found, asked: Asked, existing: Existing): ExtendedModel {
  const before = askedBy(found.scaffold.command)
  const others = without(existing, found.names)
  const was = readModel(asMade(before, found), others).model
  const problems = new Problems()
  checkOptions(before.options, asked.options, { found, problems })
  const fresh = newTokens(was, asked, { others, problems })
  problems.raise()
  const all = before.fields.length === 0 && fresh.length > 0 ? ['name:string'] : before.fields
  const merged: Asked = {
    name: before.name,
    fields: [...all, ...fresh],
    options: { ...before.options, ...asked.options },
  }
  const { model, notes } = readModel(asMade(merged, found), others)
  const added = model.fields.filter(({ column }) => was.fields.every((field) => field.column !== column))
  for (const field of added) checkRows(field, asked, problems)
  problems.raise()
  return { asked: merged, was, model, notes: added.length > 0 ? notes : [], added }
}

/** By the names that were chosen when it was made. */
function asMade(asked: Asked, { names, scaffold }: Found): Asked {
  const name = asked.options.plural === undefined ? names.file : asked.name
  return { ...asked, name, options: { ...asked.options, plural: scaffold.plural } }
}

function without(existing: Existing, names: Names): Existing {
  const { resource, table, folder } = names
  return {
    ...existing,
    targets: existing.targets.filter(({ names }) => names.resource !== resource),
    tables: but(existing.tables, table),
    folders: but(existing.folders, folder),
    paths: but(existing.paths, folder, `api/${folder}`),
    identifiers: but(existing.identifiers, ...identifiersOf(names)),
  }
}

const but = (names: ReadonlySet<string>, ...left: string[]): ReadonlySet<string> =>
  new Set([...names].filter((name) => !left.includes(name)))

/** What is decided when the table is made. */
const OF_THE_TABLE = ['plural', 'id', 'softDelete', 'version'] as const

function checkOptions(
  before: ModelOptions,
  now: ModelOptions,
  { found, problems }: { found: Found; problems: Problems },
): void {
  const usual = { plural: found.scaffold.plural, id: 'bigint', softDelete: false, version: false }
  for (const name of OF_THE_TABLE) {
    const [was, is] = [before[name] ?? usual[name], now[name]]
    if (is === undefined || is === was) continue
    const option = `--${name === 'softDelete' ? 'soft-delete' : name}`
    problems.add(
      wholeOf(typeof is === 'string' ? `${option} ${is}` : option),
      `${found.names.table} was made otherwise: change the table by a migration of your own, or use destroy and scaffold it anew.`,
    )
  }
}

/** The fields that aren't there yet; those that are have to be the same. */
function newTokens(
  was: Model,
  asked: Asked,
  { others, problems }: { others: Existing; problems: Problems },
): string[] {
  if (asked.fields.length === 0) return []
  const { fields } = readModel(
    { ...asked, name: was.names.resource, options: { plural: was.names.table } },
    others,
  ).model
  return asked.fields.filter((token, index) => {
    const field = fields[index]
    const same = was.fields.find(({ column }) => column === field?.column)
    if (same && field && !isDeepStrictEqual(plain(same), plain(field)))
      problems.add(
        wholeOf(token),
        `${was.names.table} has another ${same.column} already. Use a new name; or change that column by a migration of your own.`,
      )
    return same === undefined
  })
}

/** Without what depends on the other fields. */
const plain = ({ target, ...field }: Field) => ({ ...field, table: target?.names.table })

/** Rows that are there need a value, and one that isn't the same for all where it has to be unique. */
function checkRows(
  { name, column, target, nullable, unique, default: value }: Field,
  asked: Asked,
  problems: Problems,
): void {
  if (nullable || value !== undefined || !(unique || target)) return
  const token = asked.fields.find((token) => [name, column].includes(fieldNameIn(token))) ?? name
  problems.add(
    wholeOf(token),
    `The rows that are there have no ${name}, and it may not be empty: make it nullable, with ? or :null.`,
  )
}
