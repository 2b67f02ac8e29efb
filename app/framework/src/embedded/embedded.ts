import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { once } from 'node:events'
import { Client } from 'pg'
import { ensureRunning, openCluster, stop } from './cluster.ts'
import { isRoot } from './home.ts'
import { openLock, waitSync } from './cluster-lock.ts'
import { type Cluster, urls } from './server-process.ts'

/** The use of the shared development Postgres by this process. */
export interface EmbeddedPostgres {
  /** Returns the connection string of a database. Doesn't check whether the database exists. */
  url: (database: string) => string
  /** Ends the use, and stops the server unless other processes use it. Synchronous. A second call does nothing. */
  leave: () => void
  /** Restarts the server whenever it ends, until `leave`. `report` receives a message about each restart. */
  keepRunning: (report: (message: string) => void) => void
}

/**
 * Starts the server of the cluster under `dataDir`, or uses the server that is already running. A process is a *member*
 * from this call until `leave`, and the last member stops the server. `leave` is called automatically on the `exit`
 * event. Node skips that event if a signal ends the process, so a process that can be interrupted must handle SIGINT
 * and SIGTERM and call `process.exit()`. If all members are killed, the server keeps running, and later members use it.
 *
 * Two locks decide which process starts and stops the server. The system releases the locks of a process that ends:
 *
 * - `turn` is exclusive. Only the process that owns it may start or stop the server.
 * - `members` is shared by all members, so that only the last member can own it.
 *
 * A process that joins owns `turn` until it shares `members` and has logged in. A member that leaves owns `turn` until
 * it has released `members` and, if it was the last one, until the server has ended. So no process receives a server
 * that is about to stop. If the stopping process is killed, either it has not sent the signal, or the server rejects
 * logins and the joining process waits for its end.
 */
export async function joinEmbedded(dataDir: string): Promise<EmbeddedPostgres> {
  // Postgres refuses to run as root, so another user must be able to enter the directory.
  mkdirSync(dataDir, { recursive: true, mode: isRoot ? 0o711 : 0o700 })
  const directory = realpathSync(dataDir)
  const turn = openLock(join(directory, 'postgres-turn.lock'))
  const members = openLock(join(directory, 'postgres-members.lock'))
  let cluster: Cluster | undefined
  const left = new AbortController()
  const leave = () => {
    if (left.signal.aborted) return
    left.abort()
    process.off('exit', leave)
    // If another process owns `turn` for longer, it is joining, and the server must keep running for it.
    if (waitSync(() => turn.own(), 2_000)) {
      members.release()
      if (cluster && members.own()) stop(cluster)
    }
    members.close()
    turn.close()
  }
  process.once('exit', leave)
  try {
    while (!(turn.own() && members.share())) await sleep(20)
    const opened = openCluster(directory)
    cluster = opened
    await ensureRunning(opened)
    turn.release()
    const { signal } = left
    const start = async () => {
      while (!signal.aborted && !turn.own()) await sleep(20)
      try {
        return !signal.aborted && (await ensureRunning(opened, signal))
      } finally {
        // `leave` has closed the locks.
        if (!signal.aborted) turn.release()
      }
    }
    return {
      url: urls(opened),
      leave,
      keepRunning: (report) => void keepRunning(opened, { start, report, signal }),
    }
  } catch (error) {
    leave()
    throw error
  }
}

interface Needs {
  /** Starts the server unless it is running. Resolves to whether it was not running. */
  readonly start: () => Promise<boolean>
  /** Aborted when this process doesn't need the server any more. */
  readonly signal: AbortSignal
  /** Receives a message when the server was restarted, and when a restart failed. */
  readonly report: (message: string) => void
}

const RETRY_AFTER = 1_000

/** Restarts the server whenever it ends, until `signal` is aborted. An open connection shows at once that it has ended. */
async function keepRunning(cluster: Cluster, { start, signal, report }: Needs): Promise<void> {
  while (!signal.aborted) {
    await untilDisconnected(cluster, signal)
    if (signal.aborted) return
    try {
      if (await start()) report('The development Postgres had ended and was restarted.')
    } catch (error) {
      report(String(error))
      await sleep(RETRY_AFTER, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
}

/** Connects, and resolves when the connection ends or can't be opened. */
async function untilDisconnected(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const client = new Client({ connectionString: urls(cluster)('postgres'), connectionTimeoutMillis: 5_000 })
  const ended = once(client, 'end', { signal })
  ended.catch(() => undefined)
  // `end` follows.
  client.on('error', () => {})
  try {
    await client.connect()
    await ended
  } catch {
    void client.end().catch(() => undefined)
  }
}
