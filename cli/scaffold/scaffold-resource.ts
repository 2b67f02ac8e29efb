import { Exit, EXIT } from '../exit.ts'
import { refuseUnfinished } from './changes/change-migrations.ts'
import type { Existing } from './existing.ts'
import { extendedModel } from './extend-model.ts'
import { withLinesKept } from './merge-edits.ts'
import type { GeneratedFile, Model } from './model.ts'
import type { ScaffoldArguments } from './read/options.ts'
import { type Plan, planOf } from './scaffold-plan.ts'
import { manifestStep, unknownManifest } from './project/manifest-step.ts'
import { readModel } from './read/read-model.ts'
import { type Project } from './project/project.ts'
import { isMigration, scaffoldNamed, scaffoldsIn } from './project/record.ts'
import { stepsOfRelatives } from './nested/parent-steps.ts'
import { withRelatives } from './nested/relatives.ts'
import { sameText } from '../project/file-text.ts'
import { beginWriting } from '../project/writing.ts'
import type { Step, Verb } from './step.ts'

export interface ScaffoldFlags {
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly migrate?: boolean
  /** The migrations of a table that existed before the resource. */
  readonly migrations?: readonly GeneratedFile[]
}

/** The result of a scaffold or a dry run. */
export interface Scaffolded {
  readonly model: Model
  readonly steps: readonly Step[]
  readonly notes: readonly string[]
  /** Other places of the application that a change concerns. */
  readonly places?: readonly string[]
  /** The new migrations, and whether they ran. */
  readonly migrations: readonly string[]
  readonly migrated: boolean
  readonly milliseconds: number
  readonly seeded: boolean
  readonly dryRun: boolean
}

/** Creates a resource, or extends an existing one. A failure rolls everything back. */
export async function scaffold(
  project: Project,
  args: ScaffoldArguments,
  flags: ScaffoldFlags = {},
): Promise<Scaffolded> {
  const { root } = project
  const record = scaffoldNamed(root, args.name, args.options.plural)
  if (record && args.fields.length > 0) refuseUnfinished(root, record)
  const [existing, records] = [await project.existing(), scaffoldsIn(root)]
  const grown = record ? extendedModel(record, args, existing) : newModel(args, existing)
  const growth = withRelatives(grown, { existing, records })
  const { model, added } = growth
  const before = record?.scaffold ?? null
  const plan = await planOf({ ...growth, root, before, changed: flags.migrations })
  if (added.length === 0 && !flags.dryRun && !flags.force) refuseEdited(plan.steps)
  const others = await stepsOfRelatives(root, growth, { existing, records })
  const steps = [...plan.steps.map(flags.force ? overwritten : withLinesKept), ...others]
  const { notes } = growth
  const made = { model, notes, migrations: plan.migrations, dryRun: flags.dryRun ?? false }
  const isNew = steps.some(({ before, after }) => !sameText(before, after))
  if (!isNew) return { ...made, steps, ...(await caughtUp(project, flags)) }
  if (flags.dryRun) return { ...made, steps: [...steps, unknownManifest(root)], ...NOTHING_RUN }
  return { ...made, ...(await carryOut(project, { ...plan, steps }, flags)) }
}

/** A command line without `--no-version` creates a resource with a version. Older records lack `--version`. */
function newModel(given: ScaffoldArguments, existing: Existing) {
  const args = { ...given, options: { version: true, ...given.options } }
  return { ...readModel(args, existing), args, was: null, added: [] }
}

export const NOTHING_RUN = { migrated: false, milliseconds: 0, seeded: false }

/** Runs a migration that an earlier command wrote but did not run. */
const caughtUp = async (project: Project, { dryRun, migrate }: ScaffoldFlags) =>
  dryRun || migrate === false ? NOTHING_RUN : fillDatabase(project, { migrations: [], isNew: true })

type CarriedOut = Pick<Scaffolded, 'steps' | 'migrated' | 'milliseconds' | 'seeded'>

/** Writes the files and runs the migrations. A failure rolls everything back. */
export async function carryOut(
  project: Project,
  { steps, migrations }: Plan,
  flags: ScaffoldFlags,
): Promise<CarriedOut> {
  const writing = beginWriting(project.root, project.disk)
  try {
    const code = await project.manifest()
    writing.apply(steps)
    const manifest = await manifestStep(project, code)
    writing.apply([manifest])
    // All files are written. If the process is killed from here on, the migration is pending.
    writing.commit()
    const isNew = steps.every(({ path, verb }) => verb === 'create' || !isMigration(path))
    const isFilled = flags.migrate !== false && migrations.length > 0
    const filled = isFilled ? await fillDatabase(project, { migrations, isNew }) : NOTHING_RUN
    writing.close()
    return { steps: [...steps, manifest], ...filled }
  } catch (error) {
    writing.rollBack()
    throw rolledBackError(error)
  }
}

/** Runs pending migrations, then the seed. Rolls the migrations back if the seed fails. */
function fillDatabase(project: Project, expected: { migrations: readonly string[]; isNew: boolean }) {
  const seeded = expected.isNew && project.seeds
  return project.inDatabase(async (database) => {
    const start = performance.now()
    const ran = await database.migrate()
    // A development server may have run the new migrations already.
    const migrations = ran.length > 0 ? ran : expected.migrations
    if (migrations.length === 0) return NOTHING_RUN
    const milliseconds = Math.round(performance.now() - start)
    try {
      if (seeded) await project.seed()
    } catch (error) {
      if (ran.length > 0) await database.rollback(ran.length)
      throw error
    }
    return { migrations, migrated: true, milliseconds, seeded }
  })
}

export const rolledBackError = (error: unknown): Error =>
  error instanceof Exit ? error : new Error('All changes were rolled back', { cause: error })

const EDITED: readonly Verb[] = ['merge', 'leave', 'keep']

const overwritten = (step: Step): Step =>
  EDITED.includes(step.verb) ? { ...step, verb: 'change', after: step.generated } : step

function refuseEdited(steps: readonly Step[]): void {
  const edited = steps.filter(({ verb }) => verb === 'keep')
  if (edited.length === 0) return
  const files = edited.map(({ path }) => `  ${path}`).join('\n')
  throw new Exit(
    EXIT.conflict,
    `These files exist and differ from what the scaffold would write:\n${files}\n` +
      'No files were written. Use --diff to see the changes, or --force to overwrite the files.',
  )
}
