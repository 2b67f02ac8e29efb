import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { migrationName } from '../migration-name.ts'
import { addedColumns } from './code/added-columns.ts'
import { filesOf } from './code/files.ts'
import { withEditsMerged } from './merge-edits.ts'
import { tablesIn } from './existing.ts'
import { refuseMarkdown } from './markdown/markdown-field.ts'
import { refuseJoins } from './many/refuse-joins.ts'
import type { Field } from './field-types/field-type.ts'
import type { GeneratedFile, Model } from './model.ts'
import { type ScaffoldArguments, wordsOfCommand } from './read/options.ts'
import { isMigration, isUntouched, migrationsOf, pathOfScaffold, type Scaffold } from './project/record.ts'
import { RESOURCE_LIST, withResource } from './project/resource-list.ts'
import { asIn, digestOf, textAt } from '../project/file-text.ts'
import { formatted } from './code/render-template.ts'
import { type Step, stepTo } from './step.ts'

export interface PlanInput {
  readonly root: string
  readonly args: ScaffoldArguments
  readonly model: Model
  /** The record of the existing resource; null for a new one. */
  readonly before: Scaffold | null
  /** The model of the existing resource; null for a new one. */
  readonly was: Model | null
  /** The columns that the table lacks. */
  readonly added: readonly Field[]
  /** The migrations that change the other columns of an existing table, or adopt it. */
  readonly changed?: readonly GeneratedFile[] | undefined
}

export interface Plan {
  readonly steps: readonly Step[]
  /** The names of new migrations. */
  readonly migrations: readonly string[]
}

/** Plans the changes without writing anything. */
export async function planOf(input: PlanInput): Promise<Plan> {
  const { root, model, before, was } = input
  refuseJoins(input, () => tablesIn(root))
  refuseMarkdown(root, model)
  const names = globSync('app/db/migrations/*.ts', { cwd: root }).map((path) => basename(path, '.ts'))
  const made = before ? migrationsOf(before).filter((path) => textAt(root, path) !== null) : []
  const [created] = made
  const creation = created ? basename(created, '.ts') : migrationName(`create_${model.names.table}`, names)
  const files = await filesOf(model, { migration: creation })
  // The migration of a new table already has all columns.
  const growth = created || model.fromTable ? await growthOf(input, [...names, creation]) : []
  // An existing migration may have run, so it does not change.
  const fresh = [...files.filter(({ path }) => !made.includes(path)), ...growth]
  const own = fresh.map((file) => stepFor(root, file, before))
  const steps = [
    ...(was && before ? await withEditsMerged(own, { was, before, migration: creation }) : own),
    ...made.map((path) => stepTo(path, textAt(root, path), textAt(root, path))),
    await recordStep(root, input, fresh),
    listStep(root, model),
  ]
  const migrations = fresh.filter(({ path }) => isMigration(path)).map(({ path }) => basename(path, '.ts'))
  return { steps, migrations }
}

async function growthOf(
  { model, added, changed = [] }: PlanInput,
  known: readonly string[],
): Promise<readonly GeneratedFile[]> {
  if (added.length === 0) return changed
  const columns = added.map(({ column }) => column)
  const what = columns.length > 2 ? `${columns.length}_columns` : columns.join('_and_')
  const name = migrationName(`add_${what}_to_${model.names.table}`, [
    ...known,
    ...changed.map(({ path }) => basename(path)),
  ])
  return [...changed, await addedColumns(`app/db/migrations/${name}.ts`, model, added)]
}

function stepFor(root: string, { path, text }: GeneratedFile, before: Scaffold | null): Step {
  const there = textAt(root, path)
  if (there === null) return stepTo(path, null, text)
  const step = stepTo(path, there, asIn(there, text))
  const isOurs = step.verb === 'same' || (before !== null && isUntouched(before, path, there))
  return isOurs ? step : { ...step, verb: 'keep', after: there }
}

function listStep(root: string, { names, parent }: Model): Step {
  const before = textAt(root, RESOURCE_LIST) ?? ''
  return stepTo(RESOURCE_LIST, before, withResource(before, names, { isNested: parent !== undefined }))
}

/**
 * Returns the step for `scaffold.json`. It still lists files that are no longer generated, so that `destroy` removes
 * them.
 */
async function recordStep(
  root: string,
  { args, model, before }: PlanInput,
  fresh: readonly GeneratedFile[],
): Promise<Step> {
  const existing = Object.entries(before?.files ?? {}).filter(([path]) => textAt(root, path) !== null)
  const all = new Map([...existing, ...fresh.map(({ path, text }) => [path, digestOf(text)] as const)])
  const scaffold: Scaffold = {
    version: 1,
    command: wordsOfCommand(args),
    plural: model.names.table,
    files: Object.fromEntries([...all].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  }
  const path = pathOfScaffold(model.names)
  const step = stepFor(root, await formatted({ path, text: JSON.stringify(scaffold) }), null)
  return step.verb === 'keep' ? { ...step, verb: 'change', after: step.generated } : step
}
