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

/**
 * Returns the cluster of `dataDir`, an absolute path, or creates it. The caller must own the turn lock of
 * `joinEmbedded`.
 */
export function openCluster(dataDir: string): Cluster {
  const home = homeOf(dataDir)
  removeUnfinished(dirname(home.directory))
  if (!existsSync(home.directory)) create(home)
  const data = readdirSync(home.directory).find((name) => name.startsWith('data-'))
  if (!data)
    throw new Error(`${home.directory} contains no database. Remove ${home.directory} to create a new one.`)
  return { ...home, data: join(home.directory, data) }
}

/**
 * Starts the server unless it is running, and waits until it accepts logins. Resolves to whether it was not running. Stops
 * trying if `signal` is aborted. The caller must own the turn lock.
 */
export async function ensureRunning(cluster: Cluster, signal?: AbortSignal): Promise<boolean> {
  const { directory } = cluster
  const deadline = Date.now() + 60_000
  for (let starts = 0; ; await sleep(50)) {
    const refusal = await login(cluster)
    if (!refusal || signal?.aborted) return starts > 0
    const isUp = isServer(lastServer(cluster).pid, cluster, refusal.code !== 'ECONNREFUSED')
    if (isUp && refusal.code === WRONG_PASSWORD) {
      throw new Error(
        `The password file in ${directory} is missing or wrong. Restore it, or move ${directory} away to create a new ` +
          'database.',
      )
    }
    if (starts === 20 || Date.now() > deadline) {
      throw new Error(`The development Postgres did not start. See ${directory}/server.log.`, {
        cause: refusal,
      })
    }
    if (isUp) continue
    // Try several times: another program may use the port, or child processes of a killed server may still run.
    start(cluster)
    starts++
  }
}

/** Stops the server if it is running, and waits until it has ended. The wait has a limit. */
export function stop(cluster: Cluster): void {
  const { pid } = lastServer(cluster)
  if (!isServer(pid, cluster, true)) return
  if (process.platform === 'win32') {
    run(join(packagedPrograms(), 'pg_ctl'), ['-D', cluster.data, '-m', 'fast', 'stop'])
    return
  }
  // Not with pg_ctl: if this process were killed meanwhile, pg_ctl could send its signal after the turn lock is
  // released.
  process.kill(pid, 'SIGINT')
  waitSync(() => !existsSync(pidFile(cluster)), 10_000)
}

// Locale settings that are the same on every machine. Unlike C, C.UTF-8 maps é to É.
const LOCALE = ['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']

// Creates the cluster under a temporary name and renames it at the end, so that a killed initdb leaves no incomplete
// cluster under the final name.
function create(home: Home): void {
  const parent = dirname(home.directory)
  const { folder } = programsFor(home)
  const unfinished = mkdtempSync(join(parent, 'postgres-new-'))
  // A path that is never used again: a server whose directory was deleted would write its control file into a new
  // directory with the same path.
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
    const remedy = `Set DATABASE_URL, or move ${directory} away to create a new database.`
    throw new Error(
      `Postgres ${madeBy} created the database in ${data}, but ${major} is installed. ${remedy}`,
    )
  }
  // The last port, because the processes that used a killed server connect to it again. If the port is in use, the
  // next attempt chooses another.
  const port = lastServer(cluster).port || randomInt(49_152, 65_536)
  // Postgres removes the pid file of a dead server itself, unless the pid belongs to a zombie or was reused.
  rmSync(pidFile(cluster), { force: true })
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
  }
  const set = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const flags = ['-D', data, '-l', join(directory, 'server.log'), '-w', '-o', set.join(' '), 'start']
  // Without `ignore`, the server would inherit a pipe and never close it: `npx cli … | cat` would not end.
  run(join(folder, 'pg_ctl'), flags, cluster.user, 'ignore')
}

function removeUnfinished(parent: string): void {
  for (const name of readdirSync(parent).filter((name) => name.startsWith('postgres-new-'))) {
    try {
      rmSync(join(parent, name), { recursive: true })
    } catch {
      // The initdb of a killed process is still writing to the directory. A later call removes the rest.
    }
  }
}
