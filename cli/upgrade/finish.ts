import { spawnSync } from 'node:child_process'
import { basename, delimiter, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ask } from '../ask.ts'
import { Exit, EXIT } from '../exit.ts'
import { LOCKFILE } from './align.ts'
import type { Outcome } from './plan.ts'
import { textIn, type Tree } from './tree.ts'

/** What remains to be done after the files of an upgrade are written. */
export interface Remaining {
  /** The text to print. */
  readonly report: string
  readonly needs: InstallNeeds
  readonly migrations: readonly string[]
}

interface FinishOptions {
  readonly install?: boolean
  readonly migrate?: boolean
  readonly yes?: boolean
}

/** Installs the packages of the new version, prints the report and offers the new migrations. */
export async function finish(
  root: string,
  { report, needs, migrations }: Remaining,
  options: FinishOptions,
): Promise<void> {
  const installs = needs.installs && options.install !== false
  const isInstalled = !installs || install(root, needs.flags)
  console.log(report)
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

type Packages = Readonly<Record<string, { readonly resolved?: string }>>

/** Returns whether `npm install` must run after this upgrade, and with which flags. */
export function installNeeds(store: string, before: Tree, after: Tree): InstallNeeds {
  const manifests = [...before.keys(), ...after.keys()].filter((path) => /(?:^|\/)package\.json$/.test(path))
  const installs = [LOCKFILE, ...manifests].some((path) => {
    if (before.get(path)?.id === after.get(path)?.id) return false
    const needsOf = path === LOCKFILE ? packagesOf : requestsOf
    const [old, fresh] = [before, after].map((tree) => needsOf(jsonIn(store, tree, path)))
    return !isDeepStrictEqual(old, fresh)
  })
  // If the lockfile contains no URL of a registry, npm must not add one.
  const packages = Object.values((jsonIn(store, before, LOCKFILE)['packages'] ?? {}) as Packages)
  const namesRegistry = packages.some(({ resolved }) => /^https?:/.test(resolved ?? ''))
  return { installs, flags: namesRegistry ? [] : ['--omit-lockfile-registry-resolved'] }
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

const FLAGS = ['--include=dev', '--include=optional', '--loglevel=error', '--no-audit', '--no-fund']

const ignore = (): void => {}

/**
 * Updates the lockfile and node_modules with `npm install`. Returns false if it fails. Removes node_modules from PATH, so
 * that npm does not run on the Node that is installed there: npm may replace it.
 */
function install(root: string, flags: readonly string[]): boolean {
  console.log('Installing the packages of this version (npm install) …')
  const own = join(root, 'node_modules')
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.startsWith(own))
  // Ctrl-C ends only npm, so that the report is printed.
  process.on('SIGINT', ignore)
  try {
    const { status } = spawnSync('npm', ['install', ...FLAGS, ...flags], {
      cwd: root,
      stdio: 'inherit',
      shell: process.platform === 'win32',
      env: { ...process.env, PATH: path.join(delimiter) },
    })
    return status === 0
  } finally {
    process.off('SIGINT', ignore)
  }
}

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
  { yes = false, migrate = true }: FinishOptions,
): Promise<void> {
  if (!migrate || !(yes || process.stdin.isTTY)) return
  if (!yes && !(await confirm(`Run the new migrations now (${migrations.join(', ')})? [y/N] `))) return
  const words = [join(root, 'cli/bin.js'), 'db', 'migrate']
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exitCode = status ?? 1
}

export const confirm = async (question: string): Promise<boolean> =>
  /^y(?:es)?$/i.test((await ask(question, '')).trim())
