import { Exit, EXIT } from '../../exit.ts'
import { choices, nearest } from '../../nearest.ts'
import { stepsOfRelatives } from '../nested/parent-steps.ts'
import { withRelatives } from '../nested/relatives.ts'
import { unknownManifest } from '../project/manifest-step.ts'
import { inChild, type Project } from '../project/project.ts'
import { scaffoldNamed, scaffoldsIn } from '../project/record.ts'
import { planOf } from '../scaffold-plan.ts'
import { carryOut, NOTHING_RUN, type Scaffolded, type ScaffoldFlags } from '../scaffold-resource.ts'
import { changeMigrations, refuseUnfinished } from './change-migrations.ts'
import { type Change, type ChangedModel, changedModel } from './change-model.ts'
import { finerMerge } from './finer-merge.ts'
import { renameModel } from './rename-model.ts'
import { checkTwoSteps } from './two-step-problems.ts'
import { confirmValues } from './values-at-risk.ts'

/** Changes fields of a resource: its files, its table and its record. A failure rolls everything back. */
export async function changeResource(
  project: Project,
  change: Change,
  flags: ScaffoldFlags = {},
): Promise<Scaffolded> {
  const { root } = project
  const { args, changes } = change
  const isInTwo = changes.twoSteps === true
  const [existing, records] = [await project.existing(), scaffoldsIn(root)]
  const record = scaffoldNamed(root, args.name, args.options.plural) ?? unknown(args.name, records)
  refuseUnfinished(root, record)
  const around = { existing, records }
  if (changes.renameModel !== undefined) return renameModel(project, { change, record, around }, flags)
  const growth = withRelatives(changedModel(record, change, existing), around)
  if (isInTwo) checkTwoSteps(growth)
  const { files, note } = await changeMigrations(root, growth, isInTwo)
  if (!flags.dryRun && flags.migrate !== false) await askAboutValues(project, growth, { ...flags, isInTwo })
  const plan = await planOf({ ...growth, root, before: record.scaffold, changed: files })
  const merged = await Promise.all(plan.steps.map(finerMerge))
  const others = await stepsOfRelatives(root, growth, around)
  const steps = [...merged.map(({ step }) => step), ...others]
  const conflicts = merged.filter(({ hasConflict }) => hasConflict)
  const made = {
    model: growth.model,
    notes: [...growth.notes, note],
    places: conflicts.map(({ step }) => `${step.path}  (you edited a word that changes: your text stays)`),
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

/** In two steps, rows without a value can get one before the second. */
const askAboutValues = (
  project: Project,
  { was, fields }: ChangedModel,
  { force = false, isInTwo }: ScaffoldFlags & { isInTwo: boolean },
): Promise<void> =>
  project.inDatabase(async (database) => {
    // An earlier command may have written a migration that did not run.
    await database.migrate()
    const asked = fields.filter(({ from, to }) => !isInTwo || to === null || !from.nullable || to.nullable)
    await confirmValues(database, was, { fields: asked, force })
  })

/** Changes fields of a resource, and lists the other places of the application whose types are wrong then. */
export async function changeAndCheck(
  project: Project,
  change: Change,
  flags: ScaffoldFlags,
): Promise<Scaffolded> {
  const result = await changeResource(project, change, flags)
  if (result.dryRun) return result
  return { ...result, places: [...(result.places ?? []), ...(await wrongPlaces(project.root))] }
}

/** Returns the errors of the types in code and views: `app/a.ts:7:3 …`. */
const wrongPlaces = (root: string): Promise<string[]> =>
  inChild(root, ['views', 'check']).then(
    () => [],
    (error: Error) =>
      error.message.split('\n').flatMap((line) => PLACE.exec(line)?.[0].replaceAll(LONG_TYPE, "'…'") ?? []),
  )

/** TypeScript prints all columns of a row. */
const LONG_TYPE = /'[^']{40,}'/g

const PLACE = /[\w@./-]+[:(]\d+[:,]\d+.*/
