import { type Existing, targetNamed } from '../existing.ts'
import { without } from '../extend-model.ts'
import { FIELD_TYPES } from '../field-types/field-types.ts'
import type { Model } from '../model.ts'
import { type Around, knows, related } from '../nested/relatives.ts'
import { isNameOf, pathOfScaffold, type ScaffoldRecord } from '../project/record.ts'
import { Problems, wholeOf } from '../read/command-line-problems.ts'
import { fieldWords } from '../read/field-words.ts'
import { fieldNameIn, type Names } from '../read/names.ts'
import { readModel } from '../read/read-model.ts'
import { askedBy, type ScaffoldArguments, wordsOfCommand } from '../read/options.ts'
import type { Change } from './change-model.ts'
import { isChange } from './change-options.ts'

export interface NamedChange {
  readonly change: Change
  readonly record: ScaffoldRecord
  readonly around: Around
}

/** A resource before and after a model got another name: itself, or one whose code has the name. */
export interface Renamed {
  readonly record: ScaffoldRecord
  readonly after: ScaffoldRecord
  readonly was: Model
  readonly model: Model
}

/** Returns the resource with its new name, and the others whose code has it. Throws if the name is not free. */
export function renamedRecords({ change, record, around }: NamedChange): [Renamed, ...Renamed[]] {
  const { existing, records } = around
  const { names: was, scaffold } = record
  const { renameModel: name = '', ...changes } = change.changes
  const { plural, ...options } = change.args.options
  const isMore = isChange(changes) || change.args.fields.length > 0 || Object.keys(options).length > 0
  const problems = new Problems()
  const wrong = (message: string) => problems.add(wholeOf(`--rename-model ${name}`), message)
  if (isMore) wrong('Change fields and options with another command.')
  if (existing.tenants?.names.table === was.table)
    wrong(`${was.titles} are the tenants: keep the name, which columns of other tables have.`)
  const { names } = readModel(
    { name, fields: [], options: { ...(plural && { plural }) } },
    without(existing, was),
  ).model
  if (was.resource === names.resource && was.table === names.table)
    wrong(`${was.resource} already has this name.`)
  problems.raise()
  const { fields, options: kept } = retargeted(record, [was, 'self'], existing)
  const { plural: _plural, ...others } = kept
  const command = wordsOfCommand({ name, fields, options: { ...others, ...(plural && { plural }) } })
  const own = { path: pathOfScaffold(names), names, scaffold: { ...scaffold, command, plural: names.table } }
  const nextRecords = records.map((one) => {
    if (one.path === record.path) return own
    const words = retargeted(one, [was, names.file.replaceAll('-', '_')], existing)
    return { ...one, scaffold: { ...one.scaffold, command: wordsOfCommand(words) } }
  })
  const next = { existing: renamedIn(existing, was, names), records: nextRecords }
  const pair = (one: ScaffoldRecord, after: ScaffoldRecord): Renamed => {
    return { record: one, after, was: related(one, around), model: related(after, next) }
  }
  const all = records.flatMap((one, at) =>
    one.path === record.path ? [] : [pair(one, nextRecords[at] ?? one)],
  )
  return [pair(record, own), ...all.filter((one) => knows(one.was, was))]
}

/** Returns the command of a resource with another word for a model. Its fields keep their names. */
function retargeted(
  { scaffold }: ScaffoldRecord,
  [was, to]: [Names, string],
  existing: Existing,
): ScaffoldArguments {
  const asked = askedBy(scaffold.command)
  const fields = asked.fields.map((token) => {
    const words = fieldWords(token, new Problems(), FIELD_TYPES)
    const model = words?.target?.text ?? fieldNameIn(token).replace(/_id$/, '')
    if (!words?.type.isReference || targetNamed(model, existing)?.names.resource !== was.resource)
      return token
    return words.target
      ? token.replace(`:${model}`, `:${to}`)
      : token.replace(/:\w+/, (type) => `${type}:${to}`)
  })
  const { in: parent = '' } = asked.options
  return { ...asked, fields, options: { ...asked.options, ...(isNameOf(parent, was) && { in: to }) } }
}

const renamedIn = (existing: Existing, was: Names, names: Names): Existing => ({
  ...existing,
  targets: existing.targets.map((one) => (one.names.resource === was.resource ? { ...one, names } : one)),
  references: existing.references.map(({ from, table }) => ({
    from: from === was.resource ? names.resource : from,
    table: table === was.table ? names.table : table,
  })),
})
