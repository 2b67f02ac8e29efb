import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git, gitText, tryGit } from '../project/git.ts'
import { type Origin, withoutCredentials } from '../project/place.ts'
import { changelogProblem, releasedChangelog } from './changelog.ts'
import { problemsOf } from './problems.ts'

export interface ReleaseOptions {
  /** The public URL of this repository; defaults to the one in package.json, then to the remote `origin`. */
  readonly from?: string | undefined
  readonly dryRun?: boolean
  readonly today?: Date
}

const CHANGELOGS = ['CHANGELOG.md', 'app/framework/CHANGELOG.md']

/**
 * Runs the checks, writes the version and the origin into the files, commits and tags. Returns lines to print; throws the
 * problems. The recorded commit is the parent of the tagged one, since a commit can't contain its own hash.
 * `npx cli upgrade` prefers the tag.
 */
export function release(root: string, version: string, options: ReleaseOptions = {}): string[] {
  const { dryRun = false, today = new Date() } = options
  const problems = [
    ...problemsOf(root, version),
    ...CHANGELOGS.slice(0, 1).flatMap((path) => changelogProblem(read(root, path)) ?? []),
  ]
  if (problems.length > 0) throw new Error([...problems, 'Nothing was released.'].join('\n'))
  const origin: Origin = {
    version,
    commit: gitText(['rev-parse', 'HEAD'], { cwd: root }),
    ...fromOf(root, options),
  }
  const files = stampedFiles(root, origin, today)
  if (dryRun)
    return [...Object.keys(files).map((path) => `would change ${path}`), 'Dry run: nothing was released.']
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text)
  git(['add', '--', ...Object.keys(files)], { cwd: root })
  git(['commit', '--quiet', '-m', `Release ${version}`], { cwd: root })
  git(['tag', '--annotate', `v${version}`, '-m', `Pergola ${version}`], { cwd: root })
  return [`Released ${version}: one commit and the tag v${version}.`, 'Publish them: git push --follow-tags']
}

/** Returns the changed files with their new texts. */
function stampedFiles(root: string, origin: Origin, today: Date): Record<string, string> {
  const { version } = origin
  const changelogs = CHANGELOGS.filter((path) => existsSync(join(root, path))).map((path) => [
    path,
    releasedChangelog(read(root, path), version ?? '', today),
  ])
  const stamp = (path: string, change: (record: Packages) => object) => {
    const text = read(root, path)
    return [path, `${JSON.stringify(change(JSON.parse(text) as Packages), null, 2)}\n`]
  }
  return Object.fromEntries([
    ...changelogs,
    stamp('package.json', (record) => ({ ...record, version, pergola: origin })),
    stamp('app/framework/package.json', (record) => ({ ...record, version })),
    stamp('package-lock.json', (lock) => ({ ...lock, version, packages: stampedPackages(lock, version) })),
  ]) as Record<string, string>
}

interface Packages {
  readonly packages?: Readonly<Record<string, object>>
}

/** Sets the version of the application, which is the package '' in the lockfile, and of the framework. */
const stampedPackages = ({ packages = {} }: Packages, version: string | undefined): object =>
  Object.fromEntries(
    Object.entries(packages).map(([path, entry]) => [
      path,
      path === '' || path === 'app/framework' ? { ...entry, version } : entry,
    ]),
  )

/** Without a URL, an upgrade uses the git remote `origin` of the application. */
function fromOf(root: string, { from }: ReleaseOptions): Pick<Origin, 'from'> {
  const { pergola } = JSON.parse(read(root, 'package.json')) as { pergola?: Origin }
  const place = from ?? pergola?.from ?? tryGit(['remote', 'get-url', 'origin'], { cwd: root })
  return place === null ? {} : { from: withoutCredentials(place) }
}

const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')
