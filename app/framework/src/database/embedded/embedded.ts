import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureRunning, openCluster, stop } from './cluster.ts'
import { isRoot } from './home.ts'
import { openLock, waitSync } from './lock.ts'
import { type Cluster, urls } from './server.ts'

/** A member of the shared development Postgres. */
export interface EmbeddedPostgres {
  /** The connection string of one of its databases; whether that exists is not asked. */
  url: (database: string) => string
  /** Stops the server unless others use it. Synchronous, and harmless when called again. */
  leave: () => void
}

/**
 * Starts the cluster under `dataDir`, or joins the one that already runs; the last member to leave stops it.
 * Whoever doesn't call `leave` leaves on the process's `exit` event. The default ending by a signal skips
 * it, and no handler is installed here: a process that can be interrupted handles SIGINT and SIGTERM itself
 * and ends in `process.exit()`. After SIGKILL of every member the server runs on; the next to join adopts
 * it.
 *
 * Who may start and stop is a matter of two locks, which the system takes back however their holder ends:
 * `turn` has one holder, who starts or stops; `members` is shared by all, and who owns it alone is the last.
 * A joiner shares `members` within its turn and then proves the server by a login; the last one out stops it
 * within its turn and waits until it is gone. So nobody is handed a server that is about to go: no joiner
 * logs in while it is being stopped, and after a login nobody is alone. A stopper killed half-way has either
 * not signalled yet, or the server already refuses logins and the joiner waits for its end.
 */
export async function joinEmbedded(dataDir: string): Promise<EmbeddedPostgres> {
  // Postgres doesn't run as root, so whoever it runs as must pass through root's directory.
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
    // A turn that stays taken is a joiner's, who is a member too: then there is nothing to stop.
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
