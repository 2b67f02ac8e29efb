import { randomBytes, randomInt } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Home, homeOf } from './home.ts'
import { waitSync } from './cluster-lock.ts'
import { packagedPrograms, programsFor } from './programs.ts'
import { run } from './run-program.ts'
import { type Cluster, isServer, lastServer, login, pidFile } from './server-process.ts'

const WRONG_PASSWORD = '28P01'

/** Finds the cluster of `dataDir`, an absolute path, or makes it. For the holder of the turn. */
export function openCluster(dataDir: string): Cluster {
  const home = homeOf(dataDir)
  removeUnfinished(dirname(home.directory))
  if (!existsSync(home.directory)) create(home)
  const data = readdirSync(home.directory).find((name) => name.startsWith('data-'))
  if (!data)
    throw new Error(`There is no database in ${home.directory}: remove it to start with an empty one.`)
  return { ...home, data: join(home.directory, data) }
}

/** Starts the server unless it runs. For the holder of the turn. */
export async function ensureRunning(cluster: Cluster): Promise<void> {
  const { directory } = cluster
  const deadline = Date.now() + 60_000
  for (let starts = 0; ; await sleep(50)) {
    const refusal = await login(cluster)
    if (!refusal) return
    const isUp = isServer(lastServer(cluster).pid, cluster, refusal.code !== 'ECONNREFUSED')
    if (isUp && refusal.code === WRONG_PASSWORD) {
      throw new Error(`The password in ${directory} is lost: restore it, or move that away to start empty.`)
    }
    if (starts === 20 || Date.now() > deadline) {
      throw new Error(`The development Postgres does not run: see ${directory}/server.log.`, {
        cause: refusal,
      })
    }
    if (isUp) continue
    // A failure needn't last: another program may have the port, or a killed server's children linger.
    start(cluster)
    starts++
  }
}

/** Stops the server and returns when it is gone, or after ten seconds. */
export function stop(cluster: Cluster): void {
  const { pid } = lastServer(cluster)
  if (!isServer(pid, cluster, true)) return
  if (process.platform === 'win32') {
    run(join(packagedPrograms(), 'pg_ctl'), ['-D', cluster.data, '-m', 'fast', 'stop'])
    return
  }
  // Not with pg_ctl: if this process were killed meanwhile, its signal would arrive after the turn has ended.
  process.kill(pid, 'SIGINT')
  waitSync(() => !existsSync(pidFile(cluster)), 10_000)
}

// The same on every machine, whatever locales it has; C.UTF-8 knows that É is the capital of é, which C doesn't.
const LOCALE = ['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']

// Under another name until it is whole, so that a killed initdb leaves nothing half-made under the real one.
function create(home: Home): void {
  const parent = dirname(home.directory)
  const { folder } = programsFor(home)
  const unfinished = mkdtempSync(join(parent, 'postgres-new-'))
  // Never the same path twice: a server whose directory is removed, and made anew by another, would write its
  // control file into the new one.
  const data = mkdtempSync(join(unfinished, 'data-'))
  const password = join(unfinished, 'password')
  writeFileSync(password, randomBytes(24).toString('base64url'), { mode: 0o600 })
  if (home.user) {
    for (const path of [unfinished, data, password]) chownSync(path, home.user.uid, home.user.gid)
  }
  const login = ['-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${password}`]
  const flags = ['-D', data, ...LOCALE, ...login]
  const { status, stderr, error } = run(join(folder, 'initdb'), flags, home.user)
  if (status !== 0) throw new Error(`initdb failed in ${parent}: ${error?.message ?? stderr}`)
  renameSync(unfinished, home.directory)
}

function start(cluster: Cluster): void {
  const { folder, major } = programsFor(cluster)
  const { data, directory } = cluster
  const madeBy = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (madeBy !== major) {
    const remedy = `Set DATABASE_URL, or move ${directory} away to start with an empty one.`
    throw new Error(`The database in ${data} is of Postgres ${madeBy}, not ${major}. ${remedy}`)
  }
  // The port it had, where members of a killed server look for it. If it is taken, the next try has another.
  const port = lastServer(cluster).port || randomInt(49_152, 65_536)
  // Postgres itself clears a dead server's file away, but a zombie or a pid used again looks alive to it.
  rmSync(pidFile(cluster), { force: true })
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
  }
  const set = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const flags = ['-D', data, '-l', join(directory, 'server.log'), '-w', '-o', set.join(' '), 'start']
  // The server would inherit a pipe and keep it open: `npx cli … | cat` would never end.
  run(join(folder, 'pg_ctl'), flags, cluster.user, 'ignore')
}

function removeUnfinished(parent: string): void {
  for (const name of readdirSync(parent).filter((name) => name.startsWith('postgres-new-'))) {
    try {
      rmSync(join(parent, name), { recursive: true })
    } catch {
      // The initdb of a killed member is still writing to it. The next to join removes the rest.
    }
  }
}
