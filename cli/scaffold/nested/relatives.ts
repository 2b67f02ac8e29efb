import { targetsOf } from '../code/model-fields.ts'
import type { Existing } from '../existing.ts'
import { type ExtendedModel, extendedModel } from '../extend-model.ts'
import type { Child } from './children-code.ts'
import type { Model, Parent } from '../model.ts'
import { isNameOf, type ScaffoldRecord } from '../project/record.ts'
import { choices, nearest } from '../../nearest.ts'
import { Problems, wholeOf } from '../read/command-line-problems.ts'
import { isUniqueAlone } from '../unique-within/unique-within.ts'
import type { Names } from '../read/names.ts'
import { askedBy, type ModelOptions } from '../read/options.ts'
import { withParents } from './seen-records.ts'

export interface Around {
  readonly existing: Existing
  /** Every scaffolded resource of the project. */
  readonly records: readonly ScaffoldRecord[]
}

/** Adds the parent and the children of a model, before and after its growth. Throws if the option `--in` can't be met. */
export function withRelatives<Growth extends Pick<ExtendedModel, 'args' | 'was' | 'model'>>(
  growth: Growth,
  around: Around,
): Growth {
  const related = (model: Model) => relatedModel(model, growth.args.options, around)
  return { ...growth, model: related(growth.model), was: growth.was && related(growth.was) }
}

/** Returns the model with its parent, on whose page its records stand, and its children, which stand on its own page. */
export function relatedModel(model: Model, options: ModelOptions, around: Around): Model {
  const nested = around.records.filter(({ scaffold }) => isNestedIn(askedBy(scaffold.command).options, model))
  const children = inOrder(nested.map((record) => childOf(record, model, around.existing)))
  const problems = new Problems()
  const alone = { ...model, children, above: parentReference(around) }
  if (options.in === undefined) {
    if (options.count)
      problems.add(wholeOf('--count'), 'The number is shown in the list of a parent: add --in.')
    if (options.pages)
      problems.add(wholeOf('--pages'), 'Records without a parent have pages: remove --pages.')
    problems.raise()
    return alone
  }
  const parent = parentOf(model, options, { ...around, problems })
  problems.raise()
  return { ...alone, ...(options.pages ? parent && { within: parent } : parent && { parent }) }
}

/** Returns a function that returns the reference of a resource to its parent; undefined without a parent. */
const parentReference =
  ({ existing, records }: Around) =>
  (resource: string): Parent['field'] | undefined => {
    const record = records.find(({ names }) => names.resource === resource)
    const { in: text } = record ? askedBy(record.scaffold.command).options : {}
    const parent = records.find(({ names }) => text !== undefined && isNameOf(text, names))
    if (!record || !parent) return undefined
    return referenceTo(parent.names, extendedModel(record, unchanged(record), existing).model)
  }

export const unchanged = ({ names }: ScaffoldRecord) => ({ name: names.file, fields: [], options: {} })

/** Returns the model of an existing resource, with its relatives. */
export const related = (record: ScaffoldRecord, around: Around): Model =>
  withRelatives(extendedModel(record, unchanged(record), around.existing), around).model

/** Returns whether the code of a resource has the name. Its tests also create the parents of the records that it refers to. */
export const knows = (model: Model, { table }: Names): boolean =>
  [...withParents(model, targetsOf(model.fields)), ...(model.children ?? [])].some(
    ({ names }) => names.table === table,
  )

/** Returns the children in the order of the lists on the page of their parent. */
export const inOrder = (children: readonly Child[]): Child[] =>
  children.toSorted(({ names: one }, { names: other }) => (one.table < other.table ? -1 : 1))

function childOf(record: ScaffoldRecord, parent: Model, existing: Existing): Child {
  const { names, scaffold } = record
  if (!askedBy(scaffold.command).options.count) return { names }
  const { model } = extendedModel(record, unchanged(record), existing)
  const counted = referenceTo(parent.names, model)?.column
  return { names, ...(counted !== undefined && { counted }) }
}

/** Returns the reference to the parent. It is required, and several records may have the same parent. */
export const referenceTo = (parent: Names, { fields }: Model): Parent['field'] | undefined =>
  fields
    .filter((field): field is Parent['field'] => field.target?.names.resource === parent.resource)
    .find((field) => !field.nullable && !field.private && !isUniqueAlone(field))

const isNestedIn = (options: ModelOptions, { names }: Model) =>
  options.in !== undefined && isNameOf(options.in, names)

/** Returns the record of the resource with this name. */
export const recordOf = ({ names }: Model, records: readonly ScaffoldRecord[]): ScaffoldRecord | undefined =>
  records.find((record) => record.names.resource === names.resource)

function parentOf(
  child: Model,
  options: ModelOptions,
  { existing, records, problems }: Around & { problems: Problems },
): Parent | undefined {
  const { names } = child
  const { in: text = '' } = options
  const option = wholeOf(`--in ${text}`)
  const wrong = (message: string): undefined => {
    problems.add(option, message)
  }
  if (text.includes(','))
    return wrong('The records of a resource are shown on the page of one other resource: use --in once.')
  if (isNameOf(text, names)) return wrong(`${names.titles} can’t be shown on their own page: remove --in.`)
  const record = records.find((one) => isNameOf(text, one.names))
  if (record === undefined) return wrong(unknown(text, { existing, records }))
  const field = referenceTo(record.names, child)
  if (field === undefined)
    return wrong(
      `${names.titles} have no required reference to their ${record.names.human}: add ${record.names.file.replaceAll('-', '_')}:references.`,
    )
  if (options.publicRead === true || options.publicWhen !== undefined)
    return wrong(
      `Users who see the ${record.names.human} see its ${names.humans}: remove the option --public-….`,
    )
  if (options.editors !== undefined)
    return wrong(
      `The readers and editors of the ${record.names.human} are those of its ${names.humans}: remove --editors.`,
    )
  const { args, model } = extendedModel(record, unchanged(record), existing)
  if (args.options.in !== undefined && !args.options.pages)
    return wrong(
      `${record.names.titles} have no page of their own, because they are shown on the page of their ${args.options.in}: scaffold them with --pages.`,
    )
  return { field, model: relatedModel(model, args.options, { existing, records }) }
}

/** Returns the sentence about a parent that was not scaffolded. */
function unknown(text: string, { existing, records }: Around): string {
  const names = records.map((record) => record.names.file.replaceAll('-', '_'))
  const isThere = existing.targets.some(({ names }) => isNameOf(text, names))
  return isThere
    ? `The pages of ${text} were not scaffolded, so the command can’t add the records to them: remove --in, and add a list by hand.`
    : `Unknown model ${text}. ${choices(names, nearest(text, names))}`
}
