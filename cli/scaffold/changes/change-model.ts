import type { Existing } from '../existing.ts'
import { type ExtendedModel, extendedModel } from '../extend-model.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import type { ScaffoldRecord } from '../project/record.ts'
import { Problems, wholeOf } from '../read/command-line-problems.ts'
import { askedBy, type ModelOptions, type ScaffoldArguments, wordsOfCommand } from '../read/options.ts'
import type { ChangeOptions } from './change-options.ts'
import { changedTokens } from './changed-tokens.ts'

/** A field before and after a change. `to` is null if it is removed. */
export interface FieldChange {
  readonly from: Field
  readonly to: Field | null
}

export interface ChangedModel extends ExtendedModel {
  readonly was: Model
  /** Every field that the model had. */
  readonly fields: readonly FieldChange[]
}

interface Command {
  readonly args: ScaffoldArguments
  readonly changes: ChangeOptions
  readonly existing: Existing
}

/**
 * Changes the fields of a scaffolded model, then adds the fields and options of the command line. The owner, the label, the
 * order and the readers of the records stay the same, whatever the new names suggest.
 */
export function changedModel(record: ScaffoldRecord, { args, changes, existing }: Command): ChangedModel {
  const problems = new Problems()
  const before = askedBy(record.scaffold.command)
  const was = extendedModel(record, { name: args.name, fields: [], options: {} }, existing).model
  const tokens = before.fields.length > 0 ? before.fields : ['name:string']
  const declared = changedTokens(tokens, was, { changes, problems })
  const removed = declared.flatMap((one) => (one.token === null ? one.was : []))
  if (was.owner && removed.includes(was.owner) && args.options.owner === undefined)
    problems.add(
      wholeOf(`--remove ${was.owner.name}`),
      `The rules of ${was.names.humans} ask for the ${was.owner.name}. Choose another owner with --owner, or --owner none.`,
    )
  problems.raise()
  const kept = declared.flatMap(({ was: from, token }) => (token === null ? [] : [{ from, token }]))
  const read = (options: ModelOptions) => {
    const command = wordsOfCommand({ ...before, fields: kept.map(({ token }) => token), options })
    const grown = extendedModel({ ...record, scaffold: { ...record.scaffold, command } }, args, existing)
    const after = (field: Field | null) =>
      grown.model.fields[kept.findIndex(({ from }) => from === field)] ?? null
    return { ...grown, after }
  }
  const { label: _label, owner: _owner, cursor: _cursor, publicWhen: _when, ...others } = before.options
  const usual = read(others)
  const changed = read({ ...others, ...rolesOf(was, usual) })
  return { ...changed, was, fields: was.fields.map((from) => ({ from, to: changed.after(from) })) }
}

/** Returns the options that name fields. Without its boolean, no record is public. */
function rolesOf(
  was: Model,
  { model, after }: { model: Model; after: (field: Field | null) => Field | null },
): ModelOptions {
  const [owner, label] = [after(was.owner), after(was.label)]
  const walked = was.fields.find(({ column }) => column === was.cursor) ?? null
  const shown = typeof was.readers === 'object' ? after(was.readers.when) : null
  return {
    ...(owner !== model.owner && { owner: owner?.name ?? 'none' }),
    ...(label && canLabel(label) && label !== model.label && { label: label.name }),
    ...(was.cursor !== null && { cursor: walked ? (after(walked)?.column ?? 'created_at') : was.cursor }),
    ...(shown && { publicWhen: shown.name }),
  }
}

/** A label of another type may be too long. */
const canLabel = ({ type, nullable }: Field): boolean => type.label !== undefined && !nullable
