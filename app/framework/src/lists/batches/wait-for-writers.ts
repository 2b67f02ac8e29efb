import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { regclass } from '../../database/columns.ts'
import { executor } from '../../database/executor.ts'
import type { Resource } from '../../resource/resource.ts'

const PAUSE = 50

/**
 * Waits until every transaction is over that may be writing to the table now, this one aside. Throws the signal's reason
 * when it is told to stop.
 */
export async function settled(resource: Resource, signal: AbortSignal | undefined): Promise<void> {
  const writers = await writersOf(resource)
  while (writers.length > 0 && (await isAnyRunning(writers))) {
    await sleep(PAUSE, undefined, signal === undefined ? {} : { signal }).catch(() =>
      signal?.throwIfAborted(),
    )
  }
}

// The lock is taken before the first id is: whoever has a lower one than what can be seen now, and is not over, has it.
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
