import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { Exit, EXIT } from '../../exit.ts'
import { migrationName } from '../../migration-name.ts'
import { textAt } from '../../project/file-text.ts'
import { migrationFile } from '../code/migration-file.ts'
import type { GeneratedFile } from '../model.ts'
import type { ScaffoldRecord } from '../project/record.ts'
import type { ChangedModel } from './change-model.ts'
import { changedParts, columnSteps, typeOf, undone } from './changed-columns.ts'
import { type Steps, twoSteps } from './two-steps.ts'

interface Migrations {
  readonly files: readonly GeneratedFile[]
  /** A sentence about the version that serves while they run. */
  readonly note: string
}

/** The folder of second migrations. Nothing runs them there. */
const LATER = 'app/db/later/'

/** Returns the migrations of a change. */
export async function changeMigrations(
  root: string,
  changed: ChangedModel,
  isInTwo: boolean,
): Promise<Migrations> {
  const known = globSync('app/db/{migrations,later}/*.ts', { cwd: root }).map((path) => basename(path, '.ts'))
  const what = nameOf(changed)
  const name = migrationName(what, known)
  const path = `app/db/migrations/${name}.ts`
  if (!isInTwo) {
    const steps = { up: columnSteps(changed), down: columnSteps(undone(changed)) }
    return { files: await filesOf(path, steps), note: safetyOf(changed) }
  }
  const { now, later } = twoSteps(changed)
  const second = await filesOf(`${LATER}${migrationName(`finish_${what}`, [...known, name])}.ts`, later)
  const note = second.map(
    (file) => `When no process of the old version runs any more, move ${file.path} to app/db/migrations.`,
  )
  return {
    files: [...(await filesOf(path, now)), ...second],
    note: note[0] ?? 'The version that runs now can continue after this migration.',
  }
}

/** Throws if the second migration of an earlier change is missing: it names columns that this change may rename. */
export function refuseUnfinished(root: string, { names, scaffold }: ScaffoldRecord): void {
  const path = Object.keys(scaffold.files).find(
    (file) => file.startsWith(LATER) && textAt(root, file) !== null,
  )
  if (path === undefined) return
  throw new Exit(
    EXIT.conflict,
    `${path} finishes an earlier change of ${names.humans}. Move it to app/db/migrations first. No files were written.`,
  )
}

const filesOf = async (path: string, steps: Steps): Promise<GeneratedFile[]> =>
  steps.up.length === 0 ? [] : [await migrationFile(path, steps)]

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

function safetyOf(change: ChangedModel): string {
  const { fields } = change
  const isBreaking = fields.some(
    ({ from, to }) => to === null || from.column !== to.column || typeOf(from) !== typeOf(to),
  )
  if (isBreaking)
    return 'The version that runs now fails after this migration. To deploy without downtime, use --two-steps.'
  const isStricter =
    fields.some(({ from, to }) => from.nullable && !to?.nullable) ||
    changedParts(change).created.some(({ use }) => ['check', 'unique', 'fkey'].includes(use))
  return isStricter
    ? 'The version that runs now fails where it writes a value that the new declaration does not allow. To deploy without downtime, use --two-steps.'
    : 'The version that runs now can continue after this migration.'
}

/** Returns the texts of these migrations, in which references lead to tables that later migrations renamed. */
export function migrationTexts(root: string, paths: readonly string[]): (string | null)[] {
  const all = globSync('app/db/migrations/*.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  const others = all.filter((path) => !paths.includes(path)).toSorted()
  return paths.map((path) =>
    others
      .filter((other) => other > path)
      .reduce((text, other) => withTableRenamed(text, textAt(root, other) ?? ''), textAt(root, path)),
  )
}

/** Returns a migration whose references lead to the table that another migration renames. */
function withTableRenamed(text: string | null, migration: string): string | null {
  const [, was, name] = RENAMED.exec(migration) ?? []
  if (text === null || name === undefined) return text
  return text.replaceAll(new RegExp(String.raw`(?<=\breferences\(?\s*['"]?|\],\s*['"])${was}\b`, 'g'), name)
}

const RENAMED = /\.alterTable\('(\w+)'\)\s*\.renameTo\('(\w+)'\)/
