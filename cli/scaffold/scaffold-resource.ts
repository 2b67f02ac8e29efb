import { Exit, EXIT } from '../exit.ts'
import { extendedModel } from './extend-model.ts'
import type { Model } from './model.ts'
import type { Asked } from './read/options.ts'
import { type Plan, planOf, type Step, type Verb } from './scaffold-plan.ts'
import { manifestStep, unknownManifest } from './project/manifest-step.ts'
import { readModel } from './read/read-model.ts'
import { type Project } from './project/project.ts'
import { isMigration, scaffoldNamed } from './project/record.ts'
import { sameText } from './project/file-text.ts'
import { beginWriting } from './project/writing.ts'

export interface ScaffoldFlags {
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly migrate?: boolean
}

/** What was done, or would be. */
export interface Scaffolded {
  readonly model: Model
  readonly steps: readonly Step[]
  readonly notes: readonly string[]
  /** Migrations that are new, and whether they were run. */
  readonly migrations: readonly string[]
  readonly migrated: boolean
  readonly milliseconds: number
  readonly seeded: boolean
  readonly dryRun: boolean
}

/** Makes a resource, or lets one grow. All of it or nothing: what fails half-way takes back what was written. */
export async function scaffold(
  project: Project,
  asked: Asked,
  flags: ScaffoldFlags = {},
): Promise<Scaffolded> {
  const { root } = project
  const found = scaffoldNamed(root, asked.name)
  const existing = await project.existing()
  const growth = found
    ? extendedModel(found, asked, existing)
    : { ...readModel(asked, existing), asked, was: null, added: [] }
  const { model, added } = growth
  const plan = await planOf({ ...growth, root, before: found?.scaffold ?? null })
  const steps = flags.force ? plan.steps.map(overwritten) : plan.steps
  if (added.length === 0 && !flags.dryRun) refuseEdited(steps)
  const made = {
    model,
    notes: growth.notes,
    migrations: plan.migrations,
    dryRun: flags.dryRun ?? false,
  }
  const isNew = steps.some(({ before, after }) => !sameText(before, after))
  if (!isNew) return { ...made, steps, ...(await caughtUp(project, flags)) }
  if (flags.dryRun) return { ...made, steps: [...steps, unknownManifest(root)], ...NOTHING_RUN }
  return { ...made, ...(await carryOut(project, { ...plan, steps }, flags)) }
}

const NOTHING_RUN = { migrated: false, milliseconds: 0, seeded: false }

/** What an earlier command left to do that ended between its files and its migration, or was told not to run it. */
const caughtUp = async (project: Project, { dryRun, migrate }: ScaffoldFlags) =>
  dryRun || migrate === false ? NOTHING_RUN : fillDatabase(project, { migrations: [], isNew: true })

type CarriedOut = Pick<Scaffolded, 'steps' | 'migrated' | 'milliseconds' | 'seeded'>

async function carryOut(
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
    // The files are whole: if the process dies from here on, the migration is one that is still to be run.
    writing.keep()
    const isNew = steps.every(({ path, verb }) => verb === 'create' || !isMigration(path))
    const isFilled = flags.migrate !== false && migrations.length > 0
    const filled = isFilled ? await fillDatabase(project, { migrations, isNew }) : NOTHING_RUN
    writing.close()
    return { steps: [...steps, manifest], ...filled }
  } catch (error) {
    writing.takeBack()
    throw rolledBackError(error)
  }
}

/** Runs the migrations and the seed, if there are any to run; undoes them when the seed fails. */
function fillDatabase(project: Project, expected: { migrations: readonly string[]; isNew: boolean }) {
  const seeded = expected.isNew && project.seeds
  return project.inDatabase(async (database) => {
    const start = performance.now()
    const ran = await database.migrate()
    // A server that started meanwhile may have run those that are new.
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
  error instanceof Exit ? error : new Error('Everything is taken back', { cause: error })

const EDITED: readonly Verb[] = ['merge', 'leave', 'keep']

const overwritten = (step: Step): Step =>
  EDITED.includes(step.verb) ? { ...step, verb: 'change', after: step.wanted } : step

function refuseEdited(steps: readonly Step[]): void {
  const edited = steps.filter(({ verb }) => verb === 'keep')
  if (edited.length === 0) return
  const files = edited.map(({ path }) => `  ${path}`).join('\n')
  throw new Exit(
    EXIT.conflict,
    `These files are there, and not as the scaffold would write them:\n${files}\n` +
      'Nothing is written. --diff shows what would change, --force overwrites them.',
  )
}
