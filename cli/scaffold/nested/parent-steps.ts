import { asIn, digestOf, textAt } from '../../project/file-text.ts'
import { filesOf } from '../code/files.ts'
import { formatted } from '../code/render-template.ts'
import type { Existing } from '../existing.ts'
import { extendedModel } from '../extend-model.ts'
import type { Model } from '../model.ts'
import { isNameOf, type ScaffoldRecord, scaffoldsIn } from '../project/record.ts'
import type { Names } from '../read/names.ts'
import { askedBy, type ScaffoldArguments, wordsOfCommand } from '../read/options.ts'
import { planOf } from '../scaffold-plan.ts'
import { type Step, stepTo } from '../step.ts'
import { listNames } from './children-code.ts'
import { type Around, inOrder, knows, recordOf, related, relatedModel, unchanged } from './relatives.ts'

interface Grown {
  readonly args: ScaffoldArguments
  readonly model: Model
  /** The model before its growth; null for a new resource. */
  readonly was: Model | null
}

/**
 * Returns the steps for the files of other resources that a new or grown resource changes: the page of its parent shows a new
 * child, the routes of its children follow its readers, and the tests of all of them create its records.
 */
export async function stepsOfRelatives(root: string, grown: Grown, around: Around): Promise<Step[]> {
  const { model, was, args } = grown
  const shown = await stepsToShow(root, grown, around.records)
  if (was === null) return shown
  const own = recordOf(model, around.records)
  const grownRecord = (one: ScaffoldRecord): ScaffoldRecord =>
    one === own ? { ...one, scaffold: { ...one.scaffold, command: wordsOfCommand(args) } } : one
  const next = { ...around, records: around.records.map(grownRecord) }
  const steps = around.records.map(async (record) => {
    const before = related(record, around)
    const isBelow = record !== own && !isChild(before, model.names) && knows(before, model.names)
    return isBelow ? changedSteps(root, record, { was: before, model: related(record, next) }) : []
  })
  return [...shown, ...(await Promise.all(steps)).flat()]
}

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
