import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ask } from '../ask.ts'
import { callerPath } from '../caller-folder.ts'
import { Exit, EXIT } from '../exit.ts'
import { firstLines } from '../first-lines.ts'
import { tryGit } from '../project/git.ts'
import { installNeeds } from './install.ts'
import { whileLocked } from '../project/lock.ts'
import { newMigrations, offerMigrations } from './migrations.ts'
import { refuseOpenConflicts } from './open-conflicts.ts'
import { baseCommit, refuseDowngrade, refuseOtherRepository } from './origin.ts'
import { overridesToCompare } from './overrides.ts'
import { planUpgrade, type UpgradePlan } from './plan.ts'
import { closingWords, decisionsIn, diffsOf, inWords, type Named, outcomesInWords } from './report.ts'
import { hasNewGenerator, ownScaffolds, withResources } from './resources.ts'
import { fetchVersion, openStore } from './source.ts'
import { stage } from './stage.ts'
import { textOf, type Tree } from './tree.ts'
import { placeOf } from './upstream-place.ts'
import { refuseUnfinishedUpgrade, UPGRADE_FOLDER, upgraderIn } from './unfinished.ts'

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
  readonly resume?: boolean
  readonly rollBack?: boolean
}

export async function upgradeCommand(version: string | undefined, options: UpgradeOptions): Promise<void> {
  const root = options.app === undefined ? process.cwd() : callerPath(options.app)
  refuseOtherFolder(root)
  if (options.resume || options.rollBack) return finishInterrupted(root, options)
  refuseUnfinishedUpgrade(root)
  await refuseOpenConflicts(root)
  const isRehearsal = options.dryRun === true || options.diff === true
  if (isRehearsal) return upgrade(root, version, options)
  if (!options.force) refuseUncommitted(root)
  await whileLocked(root, () => upgrade(root, version, options))
}

async function upgrade(root: string, version: string | undefined, options: UpgradeOptions): Promise<void> {
  const merged = await plan(root, version, options)
  if (merged === null) return
  const planned = await refreshed(root, merged, options)
  const { outcomes, now } = planned
  console.log([...outcomesInWords(outcomes), ''].join('\n'))
  if (options.diff) console.log(diffsOf(outcomes, now))
  if (options.dryRun || options.diff) {
    console.log(`${closingWords(planned, overridesToCompare(planned))}Dry run: no files were written.`)
    process.exitCode = codeOf(planned)
    return
  }
  await carryOut(root, planned, options)
}

/** Plans the upgrade. Prints a message and returns null if the application is up to date. */
async function plan(root: string, version: string | undefined, options: UpgradeOptions) {
  const store = openStore(root)
  try {
    const { place: from, isGuess } = placeOf(root, options)
    const requested = version ?? (options.app === undefined ? null : 'HEAD')
    const { commit: theirs, isSnapshot } = fetchVersion(store, from, requested)
    if (isGuess) refuseOtherRepository(store, root, from)
    const base = baseCommit(store, { root, theirs, baseOption: options.base, isSnapshot })
    const planned = await planUpgrade({
      root,
      store,
      base,
      theirs,
      isSnapshot,
      from,
      markers: options.markers === true,
    })
    const [current, to] = [named(planned.old, base), named(planned.theirs, theirs)]
    refuseDowngrade(store, { from: current, to, force: options.force })
    if ((base === theirs && !options.resources) || planned.outcomes.length === 0) {
      console.log(`This application is already at version ${inWords(to)}.`)
      return null
    }
    console.log(`${inWords(current)} -> ${inWords(to)}`)
    return planned
  } finally {
    await store.close()
  }
}

/**
 * Adds the files of scaffolded resources to the plan if `--resources` is set or the user agrees. Asks only on a terminal,
 * and not in a dry run.
 */
async function refreshed(
  root: string,
  planned: UpgradePlan,
  { resources, dryRun, diff, markers = false }: UpgradeOptions,
): Promise<UpgradePlan> {
  if (resources) return withResources(root, planned, markers)
  const names = hasNewGenerator(planned) ? ownScaffolds(root, planned).map(({ names }) => names.human) : []
  if (names.length === 0) return planned
  const list = `${names.join(', ')} (scaffolded resources)`
  if (dryRun || diff || !process.stdin.isTTY) {
    console.log(`The new version may generate other files for ${list}. Use --resources to merge them too.`)
    return planned
  }
  const answer = await ask(`Also update the generated files of ${list}? [y/N] `, '')
  return /^y(?:es)?$/i.test(answer.trim()) ? withResources(root, planned, markers) : planned
}

const named = (tree: Tree, commit: string): Named => {
  const blob = tree.get('package.json')
  const { version = 'unknown' } = JSON.parse((blob && textOf(blob)) ?? '{}') as { version?: string }
  return { version, commit }
}

function refuseOtherFolder(root: string): void {
  const isFolder = statSync(root, { throwIfNoEntry: false })?.isDirectory() === true
  if (isFolder && existsSync(join(root, 'package.json'))) return
  const problem = isFolder ? `${root} has no package.json` : `The folder ${root} does not exist`
  throw new Exit(EXIT.usage, `${problem}. Use --app to specify the folder of your application.`)
}

function refuseUncommitted(root: string): void {
  const status = tryGit(['status', '--porcelain', '--untracked-files=all'], { cwd: root })
  if (status === '') return
  const problem =
    status === null ? 'The application is not in a git repository' : 'The application has uncommitted changes'
  throw new Exit(
    EXIT.conflict,
    [
      `${problem}. Commit first, so that git can show the changes of the upgrade, or use --force. No files were written.`,
      // Git prints ` M app/a.ts` and `?? app/b.ts`.
      ...firstLines((status?.split('\n') ?? []).map((line) => line.trim().replace(/^\S+ +/, ''))),
    ].join('\n'),
  )
}

async function carryOut(root: string, planned: UpgradePlan, options: UpgradeOptions): Promise<void> {
  const needs = installNeeds(planned)
  const installs = needs.installs && options.install !== false
  const migrations = newMigrations(planned.outcomes)
  const next = [
    ...(needs.installs && !installs ? ['Run `npm install`.'] : []),
    ...(migrations.length > 0 ? ['Run `npx cli db migrate`, unless you accept the next question.'] : []),
    ...overridesToCompare(planned),
  ]
  const report = `${closingWords(planned, next)}${WRITTEN}`
  stage(root, { ...planned, ...needs, installs, report, code: codeOf(planned) })
  const code = runFinish(root, [])
  process.exitCode = code
  if (code !== EXIT.done && code !== EXIT.conflict) return
  if (migrations.length > 0 && (installs || !needs.installs)) await offerMigrations(root, migrations, options)
}

const WRITTEN = 'The upgrade is complete. Review it with `git diff`, run `npm test`, then commit.'

const codeOf = ({ outcomes }: UpgradePlan): number =>
  decisionsIn(outcomes).length > 0 ? EXIT.conflict : EXIT.done

async function finishInterrupted(root: string, { rollBack }: UpgradeOptions): Promise<void> {
  if (upgraderIn(root) === null) throw new Exit(EXIT.usage, 'This application has no interrupted upgrade.')
  process.exitCode = await whileLocked(root, () => runFinish(root, [rollBack ? '--roll-back' : '--resume']))
}

/**
 * Runs `finish.js` and returns its exit code. Ctrl-C ends only that process. This function then throws, with the commands
 * that finish the upgrade or roll it back.
 */
function runFinish(root: string, args: readonly string[]): number {
  process.on('SIGINT', waitForChild)
  try {
    const file = join(root, UPGRADE_FOLDER, 'finish.js')
    const { status } = spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' })
    if (status === null) refuseUnfinishedUpgrade(root)
    return status ?? EXIT.interrupted
  } finally {
    process.off('SIGINT', waitForChild)
  }
}

const waitForChild = (): void => {}
