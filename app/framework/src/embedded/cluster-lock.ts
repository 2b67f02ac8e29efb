import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/**
 * Opens a file as a lock between processes. `share` acquires a shared lock, and `own` an exclusive one. Both return
 * whether they succeeded, and never wait. The system releases the lock when the process ends.
 *
 * The file is an empty SQLite database, because Node has no other such lock on every system. A file with a pid remains
 * after its process, and a zombie or a reused pid looks like a running process. No other code may open the file: when a
 * process closes a file, POSIX releases all its locks on that file.
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

/** Blocks the process until `isDone` returns true: for exit handlers. Returns false after `limit` milliseconds. */
export function waitSync(isDone: () => boolean, limit: number): boolean {
  const deadline = Date.now() + limit
  while (!isDone()) {
    if (Date.now() > deadline) return false
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  }
  return true
}
