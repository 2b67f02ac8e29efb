import { spawnSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ask } from '../ask.ts'
import { Exit, EXIT } from '../exit.ts'
import { printResult } from '../print-result.ts'
import { flagsFor, npmInstall } from '../project/npm-install.ts'
import { LOCKFILE } from './align.ts'
import type { Outcome } from './plan.ts'
import { asJson, type Result, resultInWords } from './report.ts'
import { textIn, type Tree } from './tree.ts'

/** What remains to be done after the files of an upgrade are written. */
export interface Remaining {
  readonly result: Result
  readonly needs: InstallNeeds
  readonly migrations: readonly string[]
}

interface FinishOptions {
  readonly install?: boolean
  readonly migrate?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

/** Installs the packages of the new version, prints the result and offers the new migrations. */
export async function finish(
  root: string,
  { result, needs, migrations }: Remaining,
  options: FinishOptions,
): Promise<void> {
  const installs = needs.installs && options.install !== false
  if (installs) console.error('Installing the packages of this version (npm install) …')
  const isInstalled = !installs || npmInstall(root, needs.flags)
  printResult(options.json, asJson(result), resultInWords(result))
  if (!isInstalled)
    throw new Exit(
      EXIT.failed,
      'npm install failed (see its messages above). Fix the cause, then run it again.',
    )
  if (migrations.length > 0 && (installs || !needs.installs)) await offerMigrations(root, migrations, options)
}

export interface InstallNeeds {
  readonly installs: boolean
  readonly flags: readonly string[]
}

/** Returns whether `npm install` must run after this upgrade, and with which flags. */
export function installNeeds(store: string, before: Tree, after: Tree): InstallNeeds {
  const manifests = [...before.keys(), ...after.keys()].filter((path) => /(?:^|\/)package\.json$/.test(path))
  const installs = [LOCKFILE, ...manifests].some((path) => {
    if (before.get(path)?.id === after.get(path)?.id) return false
    const needsOf = path === LOCKFILE ? packagesOf : requestsOf
    const [old, fresh] = [before, after].map((tree) => needsOf(jsonIn(store, tree, path)))
    return !isDeepStrictEqual(old, fresh)
  })
  return { installs, flags: flagsFor(textIn(store, before, LOCKFILE)) }
}

const jsonIn = (store: string, tree: Tree, path: string): Record<string, unknown> =>
  JSON.parse(textIn(store, tree, path) || '{}') as Record<string, unknown>

const REQUESTS = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'overrides',
  'workspaces',
]

/** Returns the parts of a package.json that determine the installed packages. */
const requestsOf = (record: Record<string, unknown>): unknown => REQUESTS.map((key) => record[key] ?? null)

/** Returns the packages of a lockfile, without the versions of the application and its workspace. */
const packagesOf = ({ packages = {} }: Record<string, unknown>): unknown =>
  Object.fromEntries(
    Object.entries(packages as Record<string, object>).map(([path, entry]) => [
      path,
      path.includes('node_modules/') ? entry : { ...entry, version: null },
    ]),
  )

/**
 * Returns the names of the new migrations. Omits moved files: the database stores that a migration of this name has
 * run.
 */
export const newMigrations = (outcomes: readonly Outcome[]): string[] =>
  outcomes
    .filter(({ path, verb, movedFrom }) => verb === 'add' && movedFrom === undefined && isMigration(path))
    .map(({ path }) => basename(path, '.ts'))

const isMigration = (path: string): boolean => /^app\/(?:db|framework)\/migrations\/\d+_\w+\.ts$/.test(path)

/**
 * Runs the new migrations with the command line of the new version. Asks for a confirmation first, unless `yes` is
 * true. Does nothing if `migrate` is false, or if a confirmation is required and stdin is not a terminal.
 */
async function offerMigrations(
  root: string,
  migrations: readonly string[],
  { yes = false, migrate = true, json = false }: FinishOptions,
): Promise<void> {
  if (!migrate || !(yes || (process.stdin.isTTY && !json))) return
  if (!yes && !(await confirm(`Run the new migrations now (${migrations.join(', ')})? [y/N] `))) return
  const words = [join(root, 'cli/bin.js'), 'db', 'migrate']
  // With --json, stdout has only the result.
  const stdio = ['inherit', json ? 2 : 'inherit', 'inherit'] as const
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: [...stdio] })
  if (status !== 0) process.exitCode = status ?? 1
}

export const confirm = async (question: string): Promise<boolean> =>
  /^y(?:es)?$/i.test((await ask(question, '')).trim())
