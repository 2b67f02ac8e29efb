// Carries out an upgrade that is planned to the last byte, or undoes it. It runs as a copy in .data/upgrade, in plain
// JavaScript without dependencies: the upgrade replaces the command line and its packages, and it may be interrupted at
// any point.
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
    `${error.message}\nThe upgrade is not finished: \`npx cli upgrade --resume\` continues, --roll-back restores.`,
  )
  process.exitCode = 1
}

function main(isUndone) {
  const journal = JSON.parse(fs.readFileSync(journalFile, 'utf8'))
  if (journal.pid !== process.ppid && isAlive(journal.pid)) {
    console.error(`Process ${journal.pid} is upgrading this application: wait until it is done.`)
    return 5
  }
  save({ ...journal, pid: process.pid })
  const changes = isUndone ? journal.changes.toReversed() : journal.changes
  // npm renews the lockfile: any of its states is the upgrade's own.
  const isDone = ({ isRenewed }) => isRenewed && journal.hasInstalled && !isUndone
  const skipped = changes.filter((change) => !isDone(change) && !carryOut(change, isUndone))
  for (const { path } of skipped)
    console.error(`${path} was edited after the upgrade began, and is left as it is.`)
  if (journal.installs && (!isUndone || journal.hasInstalled)) {
    save({ ...journal, pid: process.pid, hasInstalled: true })
    if (!install(journal.installFlags)) return stuck(isUndone)
  }
  fs.rmSync(journalFile)
  fs.rmSync(folder, { recursive: true, force: true })
  const others = skipped.length > 0 ? 'the other files' : 'the files'
  console.log(isUndone ? `Rolled back: ${others} are as they were before the upgrade.` : journal.report)
  if (skipped.length > 0) {
    const lines = skipped.map(
      ({ path }) => `\n  ${path}: compare it with that of the ${isUndone ? 'old' : 'new'} version`,
    )
    console.log(`Files that were left as they are (${skipped.length}):${lines.join('')}`)
    return 3
  }
  return isUndone ? 0 : journal.code
}

/** Whether the file is what it should be afterwards. */
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
  // Who may read the file may run it; more people than before may do neither.
  const mode = (fs.lstatSync(file, { throwIfNoEntry: false })?.mode ?? known ?? 0o644) & 0o666
  const wanted = executable ? mode | ((mode & 0o444) >> 2) : mode
  fs.writeFileSync(file + UNFINISHED, fs.readFileSync(join(folder, 'blobs', digest)), { mode: wanted })
  fs.chmodSync(file + UNFINISHED, wanted)
  fs.renameSync(file + UNFINISHED, file)
}

/** Removes a file, and the folders that are empty without it. */
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

/** Throws for a path that leads out of the application, by itself or through a symbolic link. */
function contained(path) {
  const steps = path.split('/')
  if (steps.includes('..') || path.startsWith('/')) throw new Error(`${path} is outside the application.`)
  for (const [at] of steps.entries()) {
    const step = join(root, steps.slice(0, at + 1).join(sep))
    if (fs.lstatSync(step, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Error(`${step} is a symbolic link: put a folder or file in its place, then resume.`)
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

/** Renews the lockfile and node_modules. npm must not run on the Node in node_modules, which it may replace. */
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
  const other = isUndone ? '' : ' `npx cli upgrade --roll-back` restores the files instead.'
  console.error(
    `npm install failed: its message is above. The files are written. Fix the cause, then run \`npx cli upgrade ${step}\`.${other}`,
  )
  return 1
}
