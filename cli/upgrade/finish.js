// Writes the prepared files of an upgrade, or rolls it back. The upgrade replaces the command line and its packages,
// and may
// be interrupted at any point. So this script runs as a copy in .data/upgrade, in plain JavaScript without dependencies.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { delimiter, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = dirname(fileURLToPath(import.meta.url))
const root = join(folder, '../..')
const journalFile = join(folder, 'journal.json')
const UNFINISHED = '.unfinished'

try {
  process.exitCode = main(process.argv.includes('--roll-back'))
} catch (error) {
  console.error(
    `${error.message}\nThe upgrade is not finished. Finish it with \`npx cli upgrade --resume\`, or restore the previous files with \`npx cli upgrade --roll-back\`.`,
  )
  process.exitCode = 1
}

function main(isUndone) {
  const journal = JSON.parse(fs.readFileSync(journalFile, 'utf8'))
  if (journal.pid !== process.ppid && isAlive(journal.pid)) {
    console.error(`Process ${journal.pid} is upgrading this application. Wait until it ends.`)
    return 5
  }
  save({ ...journal, pid: process.pid })
  const changes = isUndone ? journal.changes.toReversed() : journal.changes
  // npm install changes the lockfile. After it ran, a different lockfile is not an edit of the user.
  const isDone = ({ isRenewed }) => isRenewed && journal.hasInstalled && !isUndone
  const skipped = changes.filter((change) => !isDone(change) && !carryOut(change, isUndone))
  for (const { path } of skipped)
    console.error(`${path} was edited after the upgrade began and was not changed.`)
  if (journal.installs && (!isUndone || journal.hasInstalled)) {
    save({ ...journal, pid: process.pid, hasInstalled: true })
    if (!install(journal.installFlags)) return stuck(isUndone)
  }
  fs.rmSync(journalFile)
  fs.rmSync(folder, { recursive: true, force: true })
  const others = skipped.length > 0 ? 'All other files' : 'All files'
  console.log(isUndone ? `Rolled back. ${others} have their previous content.` : journal.report)
  if (skipped.length > 0) {
    const lines = skipped.map(
      ({ path }) => `\n  ${path}: compare it with the file of the ${isUndone ? 'old' : 'new'} version.`,
    )
    console.log(`Files that were not changed (${skipped.length}):${lines.join('')}`)
    return 3
  }
  return isUndone ? 0 : journal.code
}

/** Makes one change. Returns false if the file was edited meanwhile, and then leaves it unchanged. */
function carryOut(change, isUndone) {
  const { path, isRenewed } = change
  const [from, to] = isUndone ? [change.after, change.before] : [change.before, change.after]
  const file = contained(path)
  fs.rmSync(file + UNFINISHED, { force: true })
  const now = stateOf(file)
  if (same(now, to)) return true
  if (!same(now, from) && !(isRenewed && isUndone)) return false
  if (to === null) remove(path)
  else write(file, to)
  return true
}

function same(one, other) {
  if (one === null || other === null) return one === other
  return one.digest === other.digest && one.executable === other.executable
}

function stateOf(file) {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile()) return null
  const digest = createHash('sha256').update(fs.readFileSync(file)).digest('hex')
  return { digest, executable: (stats.mode & 0o100) !== 0 }
}

function write(file, { digest, executable, mode: known }) {
  fs.mkdirSync(dirname(file), { recursive: true })
  // Users who can read the file can now also execute it. No other permission is added.
  const mode = (fs.lstatSync(file, { throwIfNoEntry: false })?.mode ?? known ?? 0o644) & 0o666
  const wanted = executable ? mode | ((mode & 0o444) >> 2) : mode
  fs.writeFileSync(file + UNFINISHED, fs.readFileSync(join(folder, 'blobs', digest)), { mode: wanted })
  fs.chmodSync(file + UNFINISHED, wanted)
  fs.renameSync(file + UNFINISHED, file)
}

/** Removes a file, and the parent folders that become empty. */
function remove(path) {
  fs.rmSync(join(root, path), { force: true })
  for (let above = dirname(path); above !== '.'; above = dirname(above)) {
    try {
      fs.rmdirSync(join(root, above))
    } catch {
      return
    }
  }
}

/** Returns the absolute path. Throws if it leads out of the application, directly or through a symbolic link. */
function contained(path) {
  const steps = path.split('/')
  if (steps.includes('..') || path.startsWith('/')) throw new Error(`${path} is outside the application.`)
  for (const [at] of steps.entries()) {
    const step = join(root, steps.slice(0, at + 1).join(sep))
    if (fs.lstatSync(step, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Error(`${step} is a symbolic link. Replace it with a folder or file, then resume.`)
  }
  return join(root, path)
}

function save(journal) {
  fs.writeFileSync(journalFile + UNFINISHED, JSON.stringify(journal))
  fs.renameSync(journalFile + UNFINISHED, journalFile)
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * Updates the lockfile and node_modules with `npm install`. Removes node_modules from PATH, so that npm does not run on the
 * Node that is installed there: npm may replace it.
 */
function install(flags) {
  console.log('Installing the packages of this version (npm install) …')
  const own = join(root, 'node_modules')
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.startsWith(own))
  const args = [
    'install',
    '--include=dev',
    '--include=optional',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
  ]
  const { status } = spawnSync('npm', [...args, ...flags], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, PATH: path.join(delimiter) },
  })
  return status === 0
}

function stuck(isUndone) {
  const step = isUndone ? '--roll-back' : '--resume'
  const other = isUndone ? '' : ' To restore the previous files instead, run `npx cli upgrade --roll-back`.'
  console.error(
    `npm install failed (see the message above). The files are written. Fix the cause, then run \`npx cli upgrade ${step}\`.${other}`,
  )
  return 1
}
