import { isDeepStrictEqual } from 'node:util'
import { LOCKFILE, type UpgradePlan } from './plan.ts'
import { type Blob, textOf } from './tree.ts'

export interface InstallNeeds {
  readonly installs: boolean
  readonly installFlags: readonly string[]
}

type Packages = Readonly<Record<string, { readonly resolved?: string }>>

/** Returns whether `npm install` must run after this upgrade, and with which flags. */
export function installNeeds({ now, outcomes }: UpgradePlan): InstallNeeds {
  const installs = outcomes.some(({ path, after }) => {
    const needsOf = path === LOCKFILE ? packagesOf : isManifest(path) ? requestsOf : null
    return needsOf !== null && !isDeepStrictEqual(needsOf(now.get(path)), needsOf(after))
  })
  // If the lockfile contains no URL of a registry, npm must not add one.
  const packages = Object.values((jsonOf(now.get(LOCKFILE))['packages'] ?? {}) as Packages)
  const namesRegistry = packages.some(({ resolved }) => /^https?:/.test(resolved ?? ''))
  return { installs, installFlags: namesRegistry ? [] : ['--omit-lockfile-registry-resolved'] }
}

const isManifest = (path: string): boolean => path === 'package.json' || path.endsWith('/package.json')

const REQUESTS = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'overrides',
  'workspaces',
]

/** Returns the parts of a package.json that determine the installed packages. */
function requestsOf(blob: Blob | null | undefined): unknown[] {
  const record = jsonOf(blob)
  return REQUESTS.map((key) => record[key] ?? null)
}

/** Returns the packages of a lockfile, without the versions of the application and its workspace. */
function packagesOf(blob: Blob | null | undefined): unknown {
  const packages = Object.entries((jsonOf(blob)['packages'] ?? {}) as Record<string, object>)
  return Object.fromEntries(
    packages.map(([path, entry]) => [
      path,
      path.includes('node_modules/') ? entry : { ...entry, version: null },
    ]),
  )
}

const jsonOf = (blob: Blob | null | undefined): Record<string, unknown> =>
  JSON.parse((blob && textOf(blob)) ?? '{}') as Record<string, unknown>
