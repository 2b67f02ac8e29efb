import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { Exit, EXIT } from '../exit.ts'
import { nearest } from '../nearest.ts'
import { dependentsOf } from './dependents.ts'
import { dropTable } from './code/drop-table.ts'
import type { Names } from './model.ts'
import type { Step } from './plan.ts'
import type { Project, ProjectDatabase } from './project/project.ts'
import {
  type Found,
  isMigration,
  isUntouched,
  migrationsOf,
  scaffoldNamed,
  scaffoldsIn,
} from './project/record.ts'
import { RESOURCE_LIST, withoutResource } from './project/resource-list.ts'
import { textAt } from './project/text.ts'
import { beginWriting } from './project/writing.ts'
import { manifestStep, takenBack, unknownManifest } from './scaffold.ts'
import { migrationName } from './stamp.ts'

export interface DestroyFlags {
  readonly dryRun?: boolean
  readonly force?: boolean
}

export interface Destroyed {
  readonly names: Names
  readonly steps: readonly Step[]
  /** What became of the table. */
  readonly table: Table
  readonly dryRun: boolean
}

/** `never run`: it wasn't there. `later`: a migration that drops it was written and not run, since it has rows. */
type Table = 'rolled back' | 'never run' | 'dropped' | 'later'

/** Takes a scaffolded resource away: its files, its line in the list, its table. All of it or nothing. */
export async function destroy(project: Project, name: string, flags: DestroyFlags = {}): Promise<Destroyed> {
  const { root } = project
  const found = scaffoldNamed(root, name) ?? notFound(root, name)
  const { names } = found
  const dependents = dependentsOf(root, names, await project.existing())
  if (dependents.length > 0) throw new Exit(EXIT.conflict, stillNeeded(names, dependents))
  const list = textAt(root, RESOURCE_LIST) ?? ''
  const after = withoutResource(list, names)
  const steps = [...ownSteps(root, found, flags), change(RESOURCE_LIST, list, after)]
  const done = await project.inDatabase((database) => carryOut({ project, database, found, steps, flags }))
  return { names, dryRun: flags.dryRun ?? false, ...done }
}

interface Work {
  readonly project: Project
  readonly database: ProjectDatabase
  readonly found: Found
  readonly steps: readonly Step[]
  readonly flags: DestroyFlags
}

async function carryOut(work: Work): Promise<Pick<Destroyed, 'steps' | 'table'>> {
  const { project, database, found, flags } = work
  const { table, executed } = await fateOf(work)
  const undoes = table === 'rolled back' || table === 'never run'
  const migrations = undoes ? removals(project.root, found) : [await dropStep(project.root, found)]
  const steps = [...work.steps, ...migrations]
  if (flags.dryRun) return { steps: [...steps, unknownManifest(project.root)], table }
  // Before its file goes: if the process dies between, the migration is one that is still to be run.
  if (table === 'rolled back') await database.rollback(executed)
  const writing = beginWriting(project.root, project.disk)
  try {
    writing.apply(steps)
    const manifest = await manifestStep(project)
    writing.apply([manifest])
    writing.keep()
    if (table === 'dropped') await database.migrate()
    return { steps: [...steps, manifest], table }
  } catch (error) {
    writing.takeBack()
    if (table === 'rolled back') await database.migrate()
    throw takenBack(error)
  }
}

/** What has to become of the table: a migration that others may have run is not taken back, but followed by another. */
async function fateOf({ database, found, flags }: Work): Promise<{ table: Table; executed: number }> {
  const own = migrationsOf(found.scaffold).map((path) => basename(path, '.ts'))
  const all = (await database.states()).filter(({ executed_at }) => executed_at !== null)
  const inOrder = all
    .toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))
    .map(({ name }) => name)
  const executed = own.filter((name) => inOrder.includes(name)).length
  if (executed === 0) return { table: 'never run', executed }
  const isNewest = inOrder.slice(-executed).every((name) => own.includes(name))
  const mayGo = flags.force === true || !(await database.hasRows(found.names.table))
  if (isNewest && mayGo) return { table: 'rolled back', executed }
  return { table: mayGo ? 'dropped' : 'later', executed }
}

const orderOf = ({ executed_at, name }: { executed_at: string | null; name: string }) =>
  `${executed_at} ${name}`

/** What becomes of the files that were written: those that were edited stay, and so does the list of them. */
function ownSteps(root: string, { path, scaffold }: Found, { force = false }: DestroyFlags): Step[] {
  const files = Object.keys(scaffold.files).filter((path) => !isMigration(path))
  const steps = files.flatMap((path) => {
    const text = textAt(root, path)
    if (text === null) return []
    return force || isUntouched(scaffold, path, text) ? [change(path, text, null)] : [keep(path, text)]
  })
  const edited = steps.filter(({ verb }) => verb === 'keep').map(({ path }) => path)
  const record = textAt(root, path) ?? ''
  return [...steps, edited.length === 0 ? change(path, record, null) : keep(path, record)]
}

const removals = (root: string, { scaffold }: Found): Step[] =>
  migrationsOf(scaffold).flatMap((path) => {
    const text = textAt(root, path)
    return text === null ? [] : [change(path, text, null)]
  })

async function dropStep(root: string, { names, scaffold }: Found): Promise<Step> {
  const known = globSync('app/db/migrations/*.ts', { cwd: root }).map((path) => basename(path, '.ts'))
  const path = `app/db/migrations/${migrationName(`drop_${names.table}`, known)}.ts`
  const { text } = await dropTable(path, names, migrationsOf(scaffold))
  return { path, verb: 'create', before: null, after: text, wanted: text }
}

const keep = (path: string, text: string): Step => ({
  path,
  verb: 'keep',
  before: text,
  after: text,
  wanted: text,
})

function change(path: string, before: string, after: string | null): Step {
  const verb = after === null ? 'remove' : before === after ? 'same' : 'change'
  return { path, verb, before, after, wanted: after ?? '' }
}

function notFound(root: string, name: string): never {
  const known = scaffoldsIn(root).map(({ names }) => names.file.replaceAll('-', '_'))
  const meant = nearest(name, known)
  throw new Exit(
    EXIT.usage,
    `No resource ${name} was scaffolded here.${meant ? ` Did you mean ${meant}?` : ''} There are ${known.join(' ') || 'none'}. Nothing is written.`,
  )
}

const MOST_NAMED = 12

const stillNeeded = ({ resource }: Names, dependents: readonly string[]): string =>
  [
    `${resource} is still needed:`,
    ...dependents.slice(0, MOST_NAMED).map((dependent) => `  ${dependent}`),
    ...(dependents.length > MOST_NAMED ? [`  and ${dependents.length - MOST_NAMED} files more`] : []),
    'Destroy or change these first. Nothing is written.',
  ].join('\n')
