import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { Exit, EXIT } from '../../exit.ts'
import { migrationName } from '../../migration-name.ts'
import { choices, nearest } from '../../nearest.ts'
import { migrationFile } from '../code/migration-file.ts'
import type { GeneratedFile } from '../model.ts'
import { stepsOfRelatives } from '../nested/parent-steps.ts'
import { withRelatives } from '../nested/relatives.ts'
import type { Project } from '../project/project.ts'
import { unknownManifest } from '../project/manifest-step.ts'
import { scaffoldNamed, scaffoldsIn } from '../project/record.ts'
import { Problems } from '../read/command-line-problems.ts'
import type { ScaffoldArguments } from '../read/options.ts'
import { planOf } from '../scaffold-plan.ts'
import { carryOut, NOTHING_RUN, type Scaffolded, type ScaffoldFlags } from '../scaffold-resource.ts'
import type { Step } from '../step.ts'
import { type ChangedModel, changedModel } from './change-model.ts'
import type { ChangeOptions } from './change-options.ts'
import { columnSteps, typeOf, undone } from './changed-columns.ts'
import { finerMerge } from './finer-merge.ts'
import { checkTwoSteps, type Steps, twoSteps } from './two-steps.ts'
import { confirmValues } from './values-at-risk.ts'

export interface Change {
  readonly args: ScaffoldArguments
  readonly changes: ChangeOptions
}

/** Changes fields of a resource: its files, its table and its record. A failure rolls everything back. */
export async function changeResource(
  project: Project,
  { args, changes }: Change,
  flags: ScaffoldFlags = {},
): Promise<Scaffolded> {
  const { root } = project
  const [existing, records] = [await project.existing(), scaffoldsIn(root)]
  const record = scaffoldNamed(root, args.name, args.options.plural) ?? unknown(args.name, records)
  const grown = changedModel(record, { args, changes, existing })
  const growth = { ...withRelatives(grown, { existing, records }), fields: grown.fields }
  const { fields, was, model } = growth
  const problems = new Problems()
  if (changes.twoSteps) checkTwoSteps(fields, problems)
  problems.raise()
  const { files, notes } = await migrationsOf(root, growth, changes)
  // The first of two steps loses no value.
  if (!flags.dryRun && flags.migrate !== false && !changes.twoSteps)
    await project.inDatabase((database) =>
      confirmValues(database, was, { fields, force: flags.force ?? false }),
    )
  const plan = await planOf({ ...growth, root, before: record.scaffold, changed: files })
  const merged = await Promise.all(plan.steps.map(finerMerge))
  const others = await stepsOfRelatives(root, growth, { existing, records })
  const steps = [...merged.map(({ step }) => step), ...others]
  const conflicts = merged.filter(({ hasConflict }) => hasConflict).map(({ step }) => conflictAt(step))
  const made = {
    model,
    notes: [...notes, ...conflicts],
    migrations: plan.migrations,
    dryRun: flags.dryRun ?? false,
  }
  if (flags.dryRun) return { ...made, steps: [...steps, unknownManifest(root)], ...NOTHING_RUN }
  return { ...made, ...(await carryOut(project, { ...plan, steps }, flags)) }
}

function unknown(name: string, records: ReturnType<typeof scaffoldsIn>): never {
  const names = records.map(({ names }) => names.file.replaceAll('-', '_'))
  throw new Exit(EXIT.usage, `Unknown model ${name}. ${choices(names, nearest(name, names))}`)
}

const conflictAt = ({ path }: Step) => `You edited the place of the change in ${path}: your text stays.`

interface Migrations {
  readonly files: readonly GeneratedFile[]
  readonly notes: readonly string[]
}

/** Returns the migrations, and says whether the old version can serve while they run. */
async function migrationsOf(
  root: string,
  changed: ChangedModel,
  changes: ChangeOptions,
): Promise<Migrations> {
  const known = globSync('app/db/{migrations,later}/*.ts', { cwd: root }).map((path) => basename(path, '.ts'))
  const what = nameOf(changed)
  const now = migrationName(what, known)
  const later = migrationName(`finish_${what}`, [...known, now])
  if (!changes.twoSteps) {
    const steps = { up: columnSteps(changed), down: columnSteps(undone(changed)) }
    return { files: await written(`app/db/migrations/${now}.ts`, steps), notes: [safetyOf(changed)] }
  }
  const both = twoSteps(changed)
  const path = `app/db/later/${later}.ts`
  const files = [
    ...(await written(`app/db/migrations/${now}.ts`, both.now)),
    ...(await written(
      path,
      both.later,
      `// For the version after the next: move this file to app/db/migrations.\n`,
    )),
  ]
  return {
    files,
    notes: [`When no process of the old version runs any more, move ${path} to app/db/migrations.`],
  }
}

async function written(path: string, steps: Steps, head = ''): Promise<GeneratedFile[]> {
  if (steps.up.length === 0) return []
  const { text } = await migrationFile(path, steps)
  return [{ path, text: head + text }]
}

/** `rename_due_date_to_due_at_of_tickets` */
function nameOf({ fields, model }: ChangedModel): string {
  const what = fields.flatMap(({ from, to }) => {
    if (to === null) return [`remove_${from.column}`]
    if (from.column !== to.column) return [`rename_${from.column}_to_${to.column}`]
    if (typeOf(from) !== typeOf(to) || from.type !== to.type) return [`change_${from.column}`]
    return from.nullable && !to.nullable ? [`require_${from.column}`] : []
  })
  const [only = 'change_columns'] = what
  return `${what.length > 1 ? `change_${what.length}_columns` : only}_of_${model.names.table}`
}

function safetyOf({ fields }: ChangedModel): string {
  const isBreaking = fields.some(
    ({ from, to }) => to === null || from.column !== to.column || typeOf(from) !== typeOf(to),
  )
  if (isBreaking)
    return 'The version that runs now fails after this migration. To deploy without downtime, use --two-steps.'
  return fields.some(({ from, to }) => from.nullable && !to?.nullable)
    ? 'The version that runs now may write rows without a value, and fails then. To deploy without downtime, use --two-steps.'
    : 'The version that runs now can go on after this migration.'
}
