import { Exit, EXIT } from '../exit.ts'
import { diskOf } from '../project/disk.ts'
import { sameText, textAt } from '../project/file-text.ts'
import { flagsFor, npmInstall } from '../project/npm-install.ts'
import { beginWriting, type Change } from '../project/writing.ts'
import { isMigration } from '../scaffold/project/record.ts'
import { manifestStep } from '../scaffold/project/manifest-step.ts'
import type { Project } from '../scaffold/project/project.ts'
import { rolledBackError } from '../scaffold/scaffold-resource.ts'
import type { Step } from '../scaffold/step.ts'
import type { TableSteps } from './add-on-tables.ts'

const LOCKFILE = 'package-lock.json'

/**
 * Writes the files, installs the packages, adds the new routes to the reviewed manifest, and removes tables. A failure rolls
 * all back.
 */
export async function writeSteps(
  project: Project,
  steps: readonly Step[],
  tables?: TableSteps,
): Promise<readonly Step[]> {
  if (steps.every(({ before, after }) => sameText(before, after))) return steps
  const { root } = project
  const lockfile = textAt(root, LOCKFILE)
  const writing = beginWriting(root, project.disk)
  try {
    const code = await project.manifest()
    writing.apply(steps.filter((step) => !isLate(step)))
    if (lockfile !== null && needsInstall(steps)) writing.apply([installed(root, lockfile)])
    const manifest = await manifestStep(project, code)
    writing.apply([manifest])
    if (tables && tables.rollback > 0) await tables.database.rollback(tables.rollback)
    writing.apply(steps.filter(isLate))
    writing.commit()
    if (tables?.drops) await tables.database.migrate()
    writing.close()
    return [...steps, manifest]
  } catch (error) {
    writing.rollBack()
    if (tables && tables.rollback > 0) await tables.database.migrate()
    throw rolledBackError(error)
  }
}

/** A rollback needs the file of its migration, and the development server runs a new migration at once. */
const isLate = ({ path, before, after }: Step): boolean =>
  isMigration(path) && (after === null || before === null)

const needsInstall = (steps: readonly Step[]): boolean =>
  steps.some(({ path, before, after }) => path === 'package.json' && packagesIn(before) !== packagesIn(after))

const packagesIn = (text: string | null): string =>
  JSON.stringify((JSON.parse(text ?? '{}') as { dependencies?: object }).dependencies)

/** Installs the packages. Returns the change of the lockfile, which is undone so that it can be a part of the transaction. */
function installed(root: string, lockfile: string): Change {
  console.error('Installing the packages (npm install) …')
  const isDone = npmInstall(root, flagsFor(lockfile))
  const after = textAt(root, LOCKFILE)
  diskOf(root).write(LOCKFILE, lockfile)
  if (isDone) return { path: LOCKFILE, before: lockfile, after }
  throw new Exit(
    EXIT.failed,
    'npm install failed (see its messages above). All changes of files were rolled back. Run: npm ci.',
  )
}
