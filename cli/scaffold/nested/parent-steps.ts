import { asIn, digestOf, textAt } from '../../project/file-text.ts'
import { filesOf } from '../code/files.ts'
import { formatted } from '../code/render-template.ts'
import type { Existing } from '../existing.ts'
import { extendedModel } from '../extend-model.ts'
import type { Model } from '../model.ts'
import { isNameOf, type ScaffoldRecord, scaffoldsIn } from '../project/record.ts'
import type { Names } from '../read/names.ts'
import { askedBy, type ScaffoldArguments } from '../read/options.ts'
import { planOf } from '../scaffold-plan.ts'
import { type Step, stepTo } from '../step.ts'
import { listNames } from './children-code.ts'
import { type Around, inOrder, recordOf, referenceTo, relatedModel, unchanged } from './relatives.ts'

interface Grown {
  readonly args: ScaffoldArguments
  readonly model: Model
  /** The model before its growth; null for a new resource. */
  readonly was: Model | null
}

/**
 * Returns the steps for the files of other resources that a new or grown resource changes: the page of its parent shows a new
 * child, and the routes of its children follow its readers.
 */
export async function stepsOfRelatives(root: string, grown: Grown, around: Around): Promise<Step[]> {
  const { model, was } = grown
  const shown = await stepsToShow(root, grown, around.records)
  return was === null ? shown : [...shown, ...(await stepsBelow(root, { was, model }, around))]
}

/** Returns the steps for the children of a model, and for theirs. */
async function stepsBelow(root: string, { was, model }: Pair, around: Around): Promise<Step[]> {
  const children = around.records.filter(({ names }) => isChild(model, names))
  const steps = children.map(async (record) => {
    const { model: read, args } = extendedModel(record, unchanged(record), around.existing)
    const child = relatedModel(read, args.options, around)
    const key = args.options.pages ? 'within' : 'parent'
    const field = referenceTo(model.names, child)
    const below = (parent: Model): Model =>
      field ? { ...child, above: aboveIn(parent, child), [key]: { field, model: parent } } : child
    const pair = { was: below(was), model: below(model) }
    return [...(await changedSteps(root, record, pair)), ...(await stepsBelow(root, pair, around))]
  })
  return (await Promise.all(steps)).flat()
}

/** Returns the references to parents as they are with this parent, whose own reference may have a new name. */
const aboveIn =
  (parent: Model, child: Model): NonNullable<Model['above']> =>
  (resource) =>
    resource === parent.names.resource
      ? (parent.within ?? parent.parent)?.field
      : (parent.above?.(resource) ?? child.above?.(resource))

interface Pair {
  readonly was: Model
  readonly model: Model
}

async function stepsToShow(
  root: string,
  { model: { names, parent: above, within: parent = above }, args }: Grown,
  records: readonly ScaffoldRecord[],
): Promise<Step[]> {
  if (parent === undefined) return []
  const { model } = parent
  const record = recordOf(model, records)
  if (record === undefined) return []
  const others = model.children?.filter((child) => child.names.resource !== names.resource) ?? []
  const child = { names, ...(args.options.count && { counted: parent.field.column }) }
  const children = inOrder([...others, child])
  return changedSteps(root, record, { was: model, model: { ...model, children } })
}

/**
 * Returns the steps for the files of the parent of a resource, which no longer show its records. Omits a file that conflicts,
 * and one that would still use the list.
 */
export async function stepsToHide(
  root: string,
  { names, scaffold }: ScaffoldRecord,
  existing: Existing,
): Promise<Step[]> {
  const around = { existing, records: scaffoldsIn(root) }
  const { in: text } = askedBy(scaffold.command).options
  const record = around.records.find((one) => text !== undefined && isNameOf(text, one.names))
  if (record === undefined) return []
  const { model, args } = extendedModel(record, unchanged(record), existing)
  const was = relatedModel(model, args.options, around)
  const children = was.children?.filter((child) => child.names.resource !== names.resource) ?? []
  const steps = await changedSteps(root, record, { was, model: { ...was, children } })
  const uses = [`/${names.folder}/`, listNames(names).get]
  return steps.filter(
    ({ verb, after }) => verb !== 'keep' && !uses.some((text) => after?.includes(text) === true),
  )
}

const isChild = ({ children = [] }: Model, names: Names): boolean =>
  children.some((child) => child.names.resource === names.resource)

/** Returns the steps for the files whose generated text differs, and for `scaffold.json`. Edited files are merged. */
async function changedSteps(root: string, record: ScaffoldRecord, { was, model }: Pair): Promise<Step[]> {
  const [before, after] = await Promise.all([filesOf(was, NO_MIGRATION), filesOf(model, NO_MIGRATION)])
  const old = new Map(before.map(({ path, text }) => [path, text]))
  const changed = new Set(after.filter(({ path, text }) => old.get(path) !== text).map(({ path }) => path))
  const args = askedBy(record.scaffold.command)
  const { steps } = await planOf({ root, args, model, was, before: record.scaffold, added: [] })
  const own = steps.filter(({ path, verb }) => changed.has(path) && !['same', 'create'].includes(verb))
  return own.length === 0 ? [] : [...own, await recordStep(root, record, own)]
}

/** The migration of a table doesn't depend on other resources. */
const NO_MIGRATION = { migration: 'create' }

/** Returns the step for the record of the resource, which has the digests of the changed files. */
async function recordStep(
  root: string,
  { path, scaffold }: ScaffoldRecord,
  own: readonly Step[],
): Promise<Step> {
  const digests = own.map((step) => [step.path, digestOf(step.generated)] as const)
  const files = { ...scaffold.files, ...Object.fromEntries(digests) }
  const { text } = await formatted({ path, text: JSON.stringify({ ...scaffold, files }) })
  const before = textAt(root, path)
  return stepTo(path, before, asIn(before ?? '', text))
}
