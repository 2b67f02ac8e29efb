import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { callerPath } from '../caller-folder.ts'
import { Exit, EXIT } from '../exit.ts'
import { firstLines } from '../first-lines.ts'
import { printResult } from '../print-result.ts'
import { gitProblem, gitText, tryGit } from '../project/git.ts'
import { whileLocked } from '../project/lock.ts'
import type { ScaffoldRecord } from '../scaffold/project/record.ts'
import { newsBetween } from './changelog.ts'
import { confirm, finish, installNeeds, newMigrations, type Remaining } from './finish.ts'
import { refuseOpenConflicts } from './open-conflicts.ts'
import { baseCommit, inWords, refuseDowngrade, releaseOf } from './origin.ts'
import { planUpgrade, sidesOf, type UpgradePlan, type Versions } from './plan.ts'
import { asJson, decisionsIn, overridesToCompare, type Result, resultInWords } from './report.ts'
import { generatedSides, hasNewGenerator, ownScaffolds } from './resources.ts'
import { fetchVersion, openStore, type Store } from './source.ts'
import { type Sides, type Tree, writeTree } from './tree.ts'
import { placeOf } from './upstream-place.ts'
import { writeUpgrade } from './write.ts'

export interface UpgradeOptions {
  readonly from?: string
  readonly base?: string
  readonly app?: string
  readonly dryRun?: boolean
  readonly diff?: boolean
  readonly markers?: boolean
  readonly resources?: boolean
  readonly force?: boolean
  readonly yes?: boolean
  readonly migrate?: boolean
  readonly install?: boolean
  readonly json?: boolean
}

interface Run {
  readonly root: string
  /** The temporary repository with the new version. */
  readonly store: Store
  readonly options: UpgradeOptions
}

export async function upgradeCommand(version: string | undefined, options: UpgradeOptions): Promise<void> {
  const root = options.app === undefined ? process.cwd() : callerPath(options.app)
  refuseOtherFolder(root)
  refuseWithoutGit(root)
  refuseOpenConflicts(root)
  if (options.dryRun || options.diff) return void (await upgrade(root, version, options))
  refuseUncommitted(root)
  await whileLocked(root, async () => {
    const remaining = await upgrade(root, version, options)
    if (remaining !== null) await finish(root, remaining, options)
  })
}

/** Writes the new files, unless this is a dry run. Returns null if it wrote nothing. */
async function upgrade(
  root: string,
  version: string | undefined,
  options: UpgradeOptions,
): Promise<Remaining | null> {
  const store = openStore(root)
  try {
    const versions = versionsOf({ root, store, options }, version)
    const planned = await plan({ root, store, options }, versions)
    const [from, to] = [inWords(releaseOf(store, versions.base)), inWords(releaseOf(store, versions.theirs))]
    if (planned === null) {
      const nothing = { from, to, files: [], news: [], steps: [], dryRun: options.dryRun === true }
      printResult(options.json, nothing, `This application is already at version ${to}.`)
      return null
    }
    const { sides, after, besides, outcomes } = planned
    if (decisionsIn(outcomes).length > 0) process.exitCode = EXIT.conflict
    const needs = installNeeds(store.folder, sides.ours, after)
    const migrations = newMigrations(outcomes)
    const isDry = options.dryRun === true || options.diff === true
    const result: Result = {
      from,
      to,
      outcomes,
      news: newsBetween(store.folder, sides),
      next: [...(isDry ? [] : stepsAfter({ needs, migrations }, options)), ...overridesToCompare(sides)],
      diff: options.diff ? diffOf(store.folder, sides.ours, after) : null,
      isDry,
    }
    if (!isDry) writeUpgrade(root, store.folder, { head: sides.head, after, besides })
    else printResult(options.json, asJson(result), resultInWords(result))
    return isDry ? null : { needs, migrations, result }
  } finally {
    await store.close()
  }
}

const stepsAfter = (
  { needs, migrations }: Pick<Remaining, 'needs' | 'migrations'>,
  { install, json, yes }: UpgradeOptions,
): string[] => [
  ...(needs.installs && install === false ? ['Run `npm install`.'] : []),
  ...(migrations.length > 0 && !yes
    ? [`Run \`npx cli db migrate\`${json ? '' : ', unless you accept the next question'}.`]
    : []),
]

/** Fetches the new version and finds the one that the application came from. */
function versionsOf({ root, store, options }: Run, version: string | undefined): Versions {
  const from = placeOf(root, options)
  const requested = version ?? (options.app === undefined ? null : 'HEAD')
  const { commit: theirs, isSnapshot } = fetchVersion(store, from, requested)
  const base = baseCommit(store, { root, theirs, baseOption: options.base, isSnapshot })
  const [current, to] = [releaseOf(store, base), releaseOf(store, theirs)]
  refuseDowngrade(store, { from: current, to, force: options.force })
  return { base, theirs, isSnapshot, from }
}

/** Plans the upgrade. Returns null if the application is up to date. */
async function plan({ root, store, options }: Run, versions: Versions): Promise<UpgradePlan | null> {
  if (versions.base === versions.theirs && !options.resources) return null
  const input = { ...versions, root, store, markers: options.markers === true }
  const sides = sidesOf(input)
  const resources = await resourcesToMerge(root, sides, options)
  const generated = resources.length > 0 ? await generatedSides(resources, input, sides) : null
  const planned = await planUpgrade({ ...input, sides, generated })
  return planned.outcomes.length === 0 ? null : planned
}

/**
 * Returns the scaffolded resources that take part in the merge: those of the application, if `--resources` is set or the
 * user agrees. Asks only on a terminal, and not in a dry run.
 */
async function resourcesToMerge(
  root: string,
  sides: Sides,
  { resources, dryRun, diff, json }: UpgradeOptions,
): Promise<ScaffoldRecord[]> {
  const own = resources || hasNewGenerator(sides) ? ownScaffolds(root, sides) : []
  if (resources || own.length === 0) return own
  const list = `${own.map(({ names }) => names.human).join(', ')} (scaffolded resources)`
  if (dryRun || diff || json || !process.stdin.isTTY) {
    console.error(`The new version may generate other files for ${list}. Use --resources to merge them too.`)
    return []
  }
  return (await confirm(`Also update the generated files of ${list}? [y/N] `)) ? own : []
}

/** Returns the changed lines in the format of `git diff`. */
function diffOf(store: string, before: Tree, after: Tree): string {
  const trees = [before, after].map((tree) => writeTree(store, tree))
  return gitText(['diff', '--no-color', '--find-renames', '--no-ext-diff', '--no-textconv', ...trees], {
    cwd: store,
  })
}

function refuseOtherFolder(root: string): void {
  const isFolder = statSync(root, { throwIfNoEntry: false })?.isDirectory() === true
  if (isFolder && existsSync(join(root, 'package.json'))) return
  const problem = isFolder ? `${root} has no package.json` : `The folder ${root} does not exist`
  throw new Exit(EXIT.usage, `${problem}. Use --app to specify the folder of your application.`)
}

function refuseWithoutGit(root: string): void {
  const problem = gitProblem(gitText(['version']))
  if (problem !== null) throw new Exit(EXIT.failed, `${problem} No files were written.`)
  if (tryGit(['cat-file', '-e', 'HEAD:./package.json'], { cwd: root }) !== null) return
  throw new Exit(
    EXIT.conflict,
    'The application is not in a git repository, or is not committed. Commit it first: git merges the new version into the last commit. No files were written.',
  )
}

function refuseUncommitted(root: string): void {
  const status = gitText(['status', '--porcelain', '--untracked-files=all'], { cwd: root })
  if (status === '') return
  throw new Exit(
    EXIT.conflict,
    [
      'The application has uncommitted changes. Commit first, so that git can show and restore the changes of the upgrade. No files were written.',
      // Git prints ` M app/a.ts` and `?? app/b.ts`.
      ...firstLines(status.split('\n').map((line) => line.trim().replace(/^\S+ +/, ''))),
    ].join('\n'),
  )
}
