import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from 'pergola/lab'
import { afterAll } from 'vitest'

const PROGRAMS = '/usr/lib/postgresql/15/bin'

export interface DebianPostgres {
  readonly port: number
  readonly url: string
  /** Starts the server, and waits until it accepts connections. */
  start: () => Promise<void>
  /** Ends the server without a checkpoint. */
  kill: () => Promise<void>
}

/**
 * Starts a server of Debian's package, which contains postgres_fdw, unlike the embedded one. Its database is `postgres`.
 * Removes it when the test file ends.
 */
export async function debianPostgres(): Promise<DebianPostgres> {
  if (!existsSync(join(PROGRAMS, 'initdb')))
    throw new Error(`${PROGRAMS} is missing. Install it: apt-get install postgresql-15`)
  const folder = mkdtempSync(join(tmpdir(), 'pergola-debian-postgres-'))
  const user = process.getuid?.() === 0 ? postgresUser() : undefined
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']
  const { status, stderr } = spawnSync(join(PROGRAMS, 'initdb'), initdb, {
    ...user,
    cwd: '/',
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`)
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: 50 }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let server: ChildProcess | undefined
  const start = async () => {
    const started = spawn(join(PROGRAMS, 'postgres'), ['-D', data, ...flags], {
      ...user,
      cwd: '/',
      stdio: 'ignore',
    })
    server = started
    while (!(await accepts(url))) {
      if (started.exitCode !== null) throw new Error('Postgres ended while it started.')
      await sleep(20)
    }
  }
  const kill = async () => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const exit = once(server, 'exit')
    server.kill('SIGQUIT')
    await exit
  }
  afterAll(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  return { port, url, start, kill }
}

/** Postgres refuses to run as root. */
function postgresUser(): { uid: number; gid: number } {
  const [, uid, gid] = /^postgres:.*?:(\d+):(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

async function accepts(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}
