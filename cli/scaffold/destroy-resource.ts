import { Exit, EXIT } from '../exit.ts'
import { choices, nearest } from '../nearest.ts'
import {
  type Companions,
  companionsOf,
  companionTexts,
  guidePages,
  withCompanions,
  withoutSections,
  withoutTexts,
} from './companions.ts'
import { migrationTexts } from './changes/change-migrations.ts'
import { dependentsOf } from './dependents.ts'
import { refuseToDestroy } from './destroy-refusals.ts'
import { stepsToHide } from './nested/parent-steps.ts'
import { joinTablesOf } from './many/join-code.ts'
import { dropTableStep } from './code/drop-table.ts'
import { planAdoptedTable } from './from-table/adopted-table.ts'
import { formatted } from './code/render-template.ts'
import { planTableRemoval, type Table } from './table-removal.ts'
import type { Names } from './read/names.ts'
import { type Step, stepTo } from './step.ts'
import { diskOf } from '../project/disk.ts'
import { manifestStep, unknownManifest } from './project/manifest-step.ts'
import type { Project, ProjectDatabase } from './project/project.ts'
import {
  type ScaffoldRecord,
  isMigration,
  isUntouched,
  migrationsOf,
  type Scaffold,
  scaffoldNamed,
  scaffoldsIn,
} from './project/record.ts'
import { RESOURCE_LIST, withoutResource } from './project/resource-list.ts'
import { asIn, textAt } from '../project/file-text.ts'
import { uncommittedIn } from '../project/uncommitted.ts'
import { beginWriting } from '../project/writing.ts'
import { rolledBackError } from './scaffold-resource.ts'

export interface DestroyFlags {
  readonly dryRun?: boolean
  readonly force?: boolean
}

export interface Destroyed {
  readonly names: Names
  readonly steps: readonly Step[]
  readonly table: Table
  readonly dryRun: boolean
}

/**
 * Removes a scaffolded resource: its files, its entry in the list, its table, and with `force` its companions. Companions
 * must be committed, because a user who forces the removal of rows may not expect to lose files. A failure rolls everything
 * back.
 */
export async function destroy(project: Project, name: string, flags: DestroyFlags = {}): Promise<Destroyed> {
  const { root } = project
  const scaffolded = scaffoldNamed(root, name) ?? notFound(root, name)
  const { names } = scaffolded
  const companions = companionsOf(root, scaffolded)
  const companionFiles = [...companions.files, ...companions.binaries]
  const existing = await project.existing()
  const hidden = await stepsToHide(root, scaffolded, existing)
  const leaving = [...Object.keys(scaffolded.scaffold.files), ...companionFiles, ...hidden.map(pathOf)]
  const dependents = dependentsOf(root, names, { references: existing.references, leaving })
  const uncommitted = project.uncommitted?.(companionFiles) ?? uncommittedIn(root, companionFiles)
  refuseToDestroy(names, { dependents, companions: flags.force ? [] : companionFiles, uncommitted })
  const record = withCompanions(root, scaffolded, companions)
  const list = textAt(root, RESOURCE_LIST) ?? ''
  const steps = [
    ...(await ownSteps(root, record, flags)),
    ...hidden,
    stepTo(RESOURCE_LIST, list, withoutResource(list, names)),
    ...guideSteps(root, names),
    ...textSteps(root, names),
  ]
  const result = await project.inDatabase((database) =>
    carryOut({ project, database, record, companions, steps, flags }),
  )
  return { names, dryRun: flags.dryRun ?? false, ...result }
}

const pathOf = ({ path }: Step): string => path

interface Work {
  readonly project: Project
  readonly database: ProjectDatabase
  readonly record: ScaffoldRecord
  readonly companions: Companions
  readonly steps: readonly Step[]
  readonly flags: DestroyFlags
}

async function carryOut(work: Work): Promise<Pick<Destroyed, 'steps' | 'table'>> {
  const { project, database, record, companions, flags } = work
  const { root, disk = diskOf(root) } = project
  const table = { table: record.names.table, migrations: migrationsOf(record.scaffold) }
  const plan = record.scaffold.command.includes('--from-table') ? planAdoptedTable : planTableRemoval
  const fate = await plan(table, database, () => flags.force ?? false)
  const removed = removals(root, fate.unneeded)
  const drop = fate.writesDrop ? [await dropStep(root, record, companions)] : []
  const binaries = companions.binaries.map((path) => stepTo(path, '', null))
  const steps = [...work.steps, ...removed, ...drop, ...binaries]
  if (flags.dryRun) return { steps: [...steps, unknownManifest(root)], table: fate.table }
  const writing = beginWriting(root, project.disk)
  try {
    const code = await project.manifest()
    writing.apply(work.steps)
    const manifest = await manifestStep(project, code)
    writing.apply([manifest])
    // Drops the table late, when few steps can still fail. Removes its migration later, because the rollback runs its
    // `down`.
    if (fate.rollback > 0) await database.rollback(fate.rollback)
    // Written last, because a running development server runs a new migration at once.
    writing.apply([...removed, ...drop])
    writing.commit()
    // Removes binary files last, because a rollback restores only text.
    for (const path of companions.binaries) disk.remove(path)
    if (fate.table === 'dropped') await database.migrate()
    writing.close()
    return { steps: [...steps, manifest], table: fate.table }
  } catch (error) {
    writing.rollBack()
    if (fate.rollback > 0) await database.migrate()
    throw rolledBackError(error)
  }
}

/** Returns the steps for the generated files. Edited files and their record are kept. */
async function ownSteps(
  root: string,
  record: ScaffoldRecord,
  { force = false }: DestroyFlags,
): Promise<Step[]> {
  const { scaffold } = record
  const files = Object.keys(scaffold.files).filter((path) => !isMigration(path))
  const steps = files.flatMap((path): Step[] => {
    const text = textAt(root, path)
    if (text === null) return []
    return force || isUntouched(scaffold, path, text)
      ? [stepTo(path, text, null)]
      : [{ ...stepTo(path, text, text), verb: 'keep' }]
  })
  const edited = steps.filter(({ verb }) => verb === 'keep').map(({ path }) => path)
  return [...steps, await recordStep(root, record, edited)]
}

/** Returns the step for the record. It is removed, or lists only the edited files, which are kept. */
async function recordStep(
  root: string,
  { path, scaffold }: ScaffoldRecord,
  edited: readonly string[],
): Promise<Step> {
  const before = textAt(root, path) ?? ''
  if (edited.length === 0) return stepTo(path, before, null)
  const files = Object.entries(scaffold.files).filter(([path]) => edited.includes(path))
  const record: Scaffold = { ...scaffold, files: Object.fromEntries(files) }
  const { text } = await formatted({ path, text: JSON.stringify(record) })
  return stepTo(path, before, asIn(before, text))
}

const removals = (root: string, paths: readonly string[]): Step[] =>
  paths.map((path) => stepTo(path, textAt(root, path), null)).filter(({ before }) => before !== null)

async function dropStep(root: string, record: ScaffoldRecord, companions: Companions): Promise<Step> {
  return dropTableStep(root, [...joinTablesOf(record), record.names.table], {
    all: migrationTexts(root, migrationsOf(record.scaffold)),
    companions: migrationTexts(root, companions.files.filter(isMigration)),
  })
}

/** Returns the steps for pages of the guide with sections about the resource. */
const guideSteps = (root: string, names: Names): Step[] =>
  guidePages(root).flatMap((path) => {
    const text = textAt(root, path) ?? ''
    const after = asIn(text, withoutSections(text, names))
    return after === text ? [] : [stepTo(path, text, after)]
  })

/** Returns the steps for files of the application that name a column of the resource in another table. */
const textSteps = (root: string, names: Names): Step[] =>
  companionTexts(root, names).map(([path, texts]) => {
    const text = textAt(root, path) ?? ''
    return stepTo(path, text, asIn(text, withoutTexts(text, texts)))
  })

function notFound(root: string, name: string): never {
  const names = scaffoldsIn(root).map(({ names }) => names.file.replaceAll('-', '_'))
  throw new Exit(
    EXIT.usage,
    `No scaffolded resource has the name ${name}. ${choices(names, nearest(name, names))} No files were written.`,
  )
}
