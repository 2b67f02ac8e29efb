import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { regclass } from '../../database/table-columns.ts'
import { executor } from '../../database/executor.ts'
import type { Resource } from '../../resource/resource.ts'

const PAUSE = 50

/**
 * Waits until all other transactions that may be writing to the table now have ended. Throws the signal's reason if
 * it is aborted.
 */
export async function waitForWriters(resource: Resource, signal: AbortSignal | undefined): Promise<void> {
  const writers = await writersOf(resource)
  while (writers.length > 0 && (await isAnyRunning(writers))) {
    await sleep(PAUSE, undefined, signal === undefined ? {} : { signal }).catch(() =>
      signal?.throwIfAborted(),
    )
  }
}

// A writer takes this lock before its first id. Each running transaction with an id below the visible ones therefore
// holds it.
async function writersOf(resource: Resource): Promise<string[]> {
  const { rows } = await sql<{ writer: string }>`
    select distinct virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = ${regclass(resource)} and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())
      and pid is distinct from pg_backend_pid()`.execute(executor())
  return rows.map(({ writer }) => writer)
}

async function isAnyRunning(writers: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ running: boolean }>`
    select exists (select from pg_locks where virtualtransaction = any(${writers})) as running`.execute(
    executor(),
  )
  return rows[0]?.running ?? false
}
