import { filesOf } from '../code/files.ts'
import type { Existing } from '../existing.ts'
import { extendedModel } from '../extend-model.ts'
import type { Model } from '../model.ts'
import { isNameOf, pathOfScaffold, type ScaffoldRecord, scaffoldsIn } from '../project/record.ts'
import type { Names } from '../read/names.ts'
import { askedBy } from '../read/options.ts'
import { planOf } from '../scaffold-plan.ts'
import type { Step } from '../step.ts'
import { recordOf, relatedModel } from './relatives.ts'

/** Returns the steps for the files of the parent of a new resource, which show its records from now on. */
export async function stepsToShow(
  root: string,
  { names, parent }: Model,
  records: readonly ScaffoldRecord[],
): Promise<Step[]> {
  if (parent === undefined) return []
  const { model } = parent
  const children = [...(model.children ?? []), names].toSorted((one, other) =>
    one.many < other.many ? -1 : 1,
  )
  const record = recordOf(model, records)
  return record ? parentSteps(root, record, { was: model, model: { ...model, children } }) : []
}

/** Returns the steps for the files of the parent of a resource, which no longer show its records. Omits those that conflict. */
export async function stepsToHide(
  root: string,
  { names, scaffold }: ScaffoldRecord,
  existing: Existing,
): Promise<Step[]> {
  const around = { existing, records: scaffoldsIn(root) }
  const { in: text } = askedBy(scaffold.command).options
  const record = around.records.find((one) => text !== undefined && isNameOf(text, one.names))
  if (record === undefined) return []
  const same = { name: record.names.file, fields: [], options: {} }
  const { model, args } = extendedModel(record, same, around.existing)
  const was = relatedModel(model, args.options, around)
  const isOther = (child: Names) => child.resource !== names.resource
  const steps = await parentSteps(root, record, {
    was,
    model: { ...was, children: was.children?.filter(isOther) ?? [] },
  })
  return steps.filter(({ verb }) => verb !== 'keep')
}

/** Returns the steps for the files of a parent that differ, and for its record. Edited files are merged. */
async function parentSteps(
  root: string,
  record: ScaffoldRecord,
  { was, model }: { was: Model; model: Model },
): Promise<Step[]> {
  const [before, after] = await Promise.all([filesOf(was, NO_MIGRATION), filesOf(model, NO_MIGRATION)])
  const old = new Map(before.map(({ path, text }) => [path, text]))
  const changed = new Set([
    ...after.filter(({ path, text }) => old.get(path) !== text).map(({ path }) => path),
    pathOfScaffold(model.names),
  ])
  const args = askedBy(record.scaffold.command)
  const { steps } = await planOf({ root, args, model, was, before: record.scaffold, added: [] })
  return steps.filter(({ path, verb }) => changed.has(path) && !['same', 'create'].includes(verb))
}

/** The migration of a table doesn't depend on the children. */
const NO_MIGRATION = { migration: 'create' }
