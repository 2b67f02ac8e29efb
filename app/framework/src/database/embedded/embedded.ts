import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
  let hasLeft = false
  const leave = () => {
    if (hasLeft) return
    hasLeft = true
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
    cluster = openCluster(directory)
    await ensureRunning(cluster)
    turn.release()
    return { url: urls(cluster), leave }
  } catch (error) {
    leave()
    throw error
  }
}
