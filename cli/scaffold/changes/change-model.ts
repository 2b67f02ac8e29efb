import { refuseComputed } from './changed-expressions.ts'
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

export interface Change {
  readonly args: ScaffoldArguments
  readonly changes: ChangeOptions
}

/**
 * Changes the fields of a scaffolded model, then adds the fields and options of the command line. The owner, the label, the
 * order and the readers of the records stay the same, although new names may suggest others.
 */
export function changedModel(
  record: ScaffoldRecord,
  { args, changes }: Change,
  existing: Existing,
): ChangedModel {
  const problems = new Problems()
  const before = askedBy(record.scaffold.command)
  const was = extendedModel(record, { name: args.name, fields: [], options: {} }, existing).model
  const tokens = before.fields.length > 0 ? before.fields : ['name:string']
  const declared = changedTokens(tokens, was, { changes, problems })
  const removed = declared.flatMap((one) => (one.token === null ? one.was : []))
  checkAccess(was, removed, { given: args.options, problems })
  problems.raise()
  const kept = declared.flatMap(({ was: from, token }) => (token === null ? [] : [{ from, token }]))
  const read = (options: ModelOptions) => {
    const command = wordsOfCommand({ ...before, fields: kept.map(({ token }) => token), options })
    const grown = extendedModel({ ...record, scaffold: { ...record.scaffold, command } }, args, existing)
    const after = (field: Field | null) =>
      grown.model.fields[kept.findIndex(({ from }) => from === field)] ?? null
    return { ...grown, after }
  }
  const others: ModelOptions = Object.fromEntries(
    Object.entries(before.options).filter(([name]) => !ROLES.includes(name)),
  )
  const roles = rolesOf(was, read(others))
  const isGiven = (name: string) => Object.hasOwn(args.options, name)
  const changed = read({
    ...others,
    ...Object.fromEntries(Object.entries(roles).filter(([name]) => !isGiven(name))),
  })
  const fields = was.fields.map((from) => ({ from, to: changed.after(from) }))
  checkTargets(fields, problems)
  refuseComputed(fields, problems)
  problems.raise()
  return { ...changed, was, fields }
}

/** Reports a removal that would give users access without a decision. */
function checkAccess(
  { names, owner, readers, editors }: Model,
  removed: readonly Field[],
  { given, problems }: { given: ModelOptions; problems: Problems },
): void {
  if (owner && removed.includes(owner) && given.owner === undefined)
    problems.add(
      wholeOf(`--remove ${owner.name}`),
      `The rules of ${names.humans} ask for the ${owner.name}. Choose another owner with --owner, or --owner none.`,
    )
  const opening = typeof readers === 'object' ? readers.when : readers === 'members' && editors
  if (!opening || !removed.includes(opening) || owner) return
  if ([given.owner, given.publicRead, given.publicWhen].every((option) => option === undefined))
    problems.add(
      wholeOf(`--remove ${opening.name}`),
      `Without ${opening.name}, signed-in users could read all ${names.humans}. Allow it with --owner none, or everybody with --public-read.`,
    )
}

/** Reports a reference to another table, in which its ids are those of other records. */
function checkTargets(fields: readonly FieldChange[], problems: Problems): void {
  for (const { from, to } of fields)
    if (to && from.type.isList && from.ordered !== to.ordered)
      problems.add(
        wholeOf(`--type ${to.name}`),
        `Only the rows of an ordered list have a position. Remove ${from.name}, and add a field with another name.`,
      )
    else if (
      to &&
      (from.type.isList !== to.type.isList || (from.type.isList && from.onDelete !== to.onDelete))
    )
      problems.add(
        wholeOf(`--type ${to.name}`),
        `A join table stores a list of ids. Remove ${from.name}, and add a field with another name.`,
      )
    else if (to && from.type.isArray !== to.type.isArray)
      problems.add(
        wholeOf(`--type ${to.name}`),
        `A column has one value or several. Remove ${from.name}, and add a field with another name.`,
      )
    else if (to && from.target?.names.table !== to.target?.names.table)
      problems.add(
        wholeOf(`--type ${to.name}`),
        `${to.name} would contain the ids of other records. Remove ${from.name}, and add a field with another name.`,
      )
}

/** The options that name fields. */
const ROLES = ['label', 'owner', 'cursor', 'publicWhen', 'editors']

/** Returns the options that name fields. */
function rolesOf(
  was: Model,
  { model, after }: { model: Model; after: (field: Field | null) => Field | null },
): ModelOptions {
  const [owner, label] = [after(was.owner), after(was.label)]
  const cursorField = was.fields.find(({ column }) => column === was.cursor) ?? null
  const publicField = typeof was.readers === 'object' ? after(was.readers.when) : null
  const editors = after(was.editors ?? null)
  return {
    ...(owner !== model.owner && { owner: owner?.name ?? 'none' }),
    ...(label && canLabel(label) && label !== model.label && { label: label.name }),
    ...(was.cursor !== null && {
      cursor: cursorField ? (after(cursorField)?.column ?? 'created_at') : was.cursor,
    }),
    ...(publicField && { publicWhen: publicField.name }),
    ...(editors && { editors: editors.name }),
  }
}

/** A label of another type may be too long. */
const canLabel = ({ type, nullable }: Field): boolean => type.label !== undefined && !nullable
