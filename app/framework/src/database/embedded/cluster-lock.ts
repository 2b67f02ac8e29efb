import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/**
 * Opens a file as a lock between processes: `share` it with others or `own` it alone. Both say whether they
 * succeeded and never wait. No process holds it longer than it lives. An empty SQLite database is the one
 * such lock Node has on every system: files with pids outlive their writers, and zombies and reused pids
 * look alive. Nothing else may open the file: when a process closes it, POSIX takes the process's locks on
 * it away.
 */
export function openLock(file: string) {
  const database = new DatabaseSync(file)
  const release = () => {
    if (database.isTransaction) database.exec('rollback')
  }
  const attempt = (statements: string) => {
    try {
      database.exec(statements)
      return true
    } catch (error) {
      release()
      if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false
      throw error
    }
  }
  return {
    share: () => attempt('begin; select 1 from sqlite_schema'),
    own: () => database.isTransaction || attempt('begin exclusive'),
    release,
    close: () => database.close(),
  }
}

/** Waits without giving up control, for exit handlers; false when `limit` milliseconds were not enough. */
export function waitSync(isDone: () => boolean, limit: number): boolean {
  const deadline = Date.now() + limit
  while (!isDone()) {
    if (Date.now() > deadline) return false
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  }
  return true
}
