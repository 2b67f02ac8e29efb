import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureRunning, openCluster, stop } from './cluster.ts'
import { isRoot } from './home.ts'
import { openLock, waitSync } from './cluster-lock.ts'
import { type Cluster, urls } from './server-process.ts'

/** A member of the shared development Postgres. */
export interface EmbeddedPostgres {
  /** The connection string of one of its databases; whether that exists is not asked. */
  url: (database: string) => string
  /** Stops the server unless others use it. Synchronous, and harmless when called again. */
  leave: () => void
}

/**
 * Starts the cluster under `dataDir`, or joins the one that is running. The last member to leave stops it. A process
 * that doesn't call `leave` leaves on its `exit` event, which the default handling of signals skips: a process that
 * can be interrupted handles SIGINT and SIGTERM and calls `process.exit()`. If all members are killed, the server
 * keeps running until the next process joins.
 *
 * Two locks decide which process starts and stops the server. The system releases them when their holder ends. `turn`
 * has one holder, which may start or stop; all members share `members`, and its only holder is the last one. A joiner
 * shares `members` during its turn and then logs in. The last one to leave stops the server during its turn and waits
 * for its end. No process therefore gets a server that is about to stop: none logs in during the stop, and after a
 * login no member is alone. If the stopping process is killed, either the signal was not sent, or the server rejects
 * logins and the joiner waits for its end.
 */
export async function joinEmbedded(dataDir: string): Promise<EmbeddedPostgres> {
  // Postgres doesn't run as root, so its user must be able to pass through root's directory.
  mkdirSync(dataDir, { recursive: true, mode: isRoot ? 0o711 : 0o700 })
  const directory = realpathSync(dataDir)
  const turn = openLock(join(directory, 'postgres-turn.lock'))
  const members = openLock(join(directory, 'postgres-members.lock'))
  let cluster: Cluster | undefined
  let left = false
  const leave = () => {
    if (left) return
    left = true
    process.off('exit', leave)
    // If another process holds the turn, it is joining and so a member: then the server keeps running.
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
