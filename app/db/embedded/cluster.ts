import { randomBytes, randomInt } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Home } from './home.ts'
import { waitSync } from './lock.ts'
import { packagedPrograms, programsFor } from './programs.ts'
import { run } from './run.ts'
import { isServer, lastServer, login, pidFile } from './server.ts'

const WRONG_PASSWORD = '28P01'

/** Makes the cluster if there is none, and starts its server unless it runs. For the holder of the turn. */
export async function ensureRunning(home: Home): Promise<void> {
  removeUnfinished(dirname(home.cluster))
  if (!existsSync(home.cluster)) create(home)
  const deadline = Date.now() + 60_000
  for (let starts = 0; ; await sleep(50)) {
    const refusal = await login(home)
    if (!refusal) return
    const isUp = isServer(lastServer(home).pid, home, refusal.code !== 'ECONNREFUSED')
    const isHopeless = isUp ? refusal.code === WRONG_PASSWORD : starts === 20
    if (isHopeless || Date.now() > deadline) throw unusable(home, refusal)
    if (isUp) continue
    // A failure needn't last: another program may have the port, or a killed server's children linger.
    start(home)
    starts++
  }
}

/** Stops the server and returns when it is gone, or after ten seconds. */
export function stop(home: Home): void {
  const { pid } = lastServer(home)
  if (!isServer(pid, home, true)) return
  if (process.platform === 'win32') {
    run(join(packagedPrograms(), 'pg_ctl'), ['-D', join(home.cluster, 'data'), '-m', 'fast', 'stop'])
    return
  }
  // Not by pg_ctl: if we were killed meanwhile, its signal would come when the turn is no longer ours.
  process.kill(pid, 'SIGINT')
  waitSync(() => !existsSync(pidFile(home)), 10_000)
}

// Under another name until it is whole, so that a killed initdb leaves nothing half-made under the real one.
function create(home: Home): void {
  const parent = dirname(home.cluster)
  const { folder } = programsFor(home)
  const unfinished = mkdtempSync(join(parent, 'postgres-new-'))
  const password = join(unfinished, 'password')
  writeFileSync(password, randomBytes(24).toString('base64url'), { mode: 0o600 })
  if (home.user) {
    for (const path of [unfinished, password]) chownSync(path, home.user.uid, home.user.gid)
  }
  const login = ['-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${password}`]
  const flags = ['-D', join(unfinished, 'data'), '--locale=C', '-E', 'UTF8', ...login]
  const { status, stderr, error } = run(join(folder, 'initdb'), flags, home.user)
  if (status !== 0) throw new Error(`initdb failed in ${parent}: ${error?.message ?? stderr}`)
  renameSync(unfinished, home.cluster)
}

function start(home: Home): void {
  const { folder, major } = programsFor(home)
  const data = join(home.cluster, 'data')
  const madeBy = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (madeBy !== major) {
    const remedy = `Set DATABASE_URL, or move ${home.cluster} away to start with an empty one.`
    throw new Error(`The database in ${data} is of Postgres ${madeBy}, not ${major}. ${remedy}`)
  }
  // The port it had: members whose server was killed then find the new one. If it is taken, the next try has another.
  const port = lastServer(home).port || randomInt(49_152, 65_536)
  // Postgres itself clears a dead server's file away, but a zombie or a pid used again looks alive to it.
  rmSync(pidFile(home), { force: true })
  const settings = {
    port,
    cluster_name: home.name,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
  }
  const set = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const flags = ['-D', data, '-l', join(home.cluster, 'server.log'), '-w', '-o', set.join(' '), 'start']
  // The server would inherit a pipe and keep it open: `npx cli … | cat` would never end.
  run(join(folder, 'pg_ctl'), flags, home.user, 'ignore')
}

function unusable({ cluster }: Home, refusal: NodeJS.ErrnoException): Error {
  const lost = `The password in ${cluster} is lost: restore it, or move the directory away to start with an empty one.`
  const remedy = refusal.code === WRONG_PASSWORD ? lost : `See ${cluster}/server.log.`
  return new Error(`The development Postgres can't be used: ${refusal.message}. ${remedy}`, {
    cause: refusal,
  })
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
