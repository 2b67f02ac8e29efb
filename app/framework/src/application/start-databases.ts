import type { Logger } from 'pino'
import { isUnreachable, untilReachable } from '../migrations/reachable.ts'

/** Milliseconds until a shard is checked again whose check failed although it answers. */
const PAUSE = 10_000

/** The database of a server process, or that of one of its shards. */
export interface ServedDatabase {
  /** The name of the shard; undefined for the only database. */
  readonly shard: string | undefined
  /** Checks the database once, before its first request. Throws an error with the remedy. */
  readonly check: () => Promise<void>
  /** Returns whether the database can serve this version of the application. */
  readonly canServe: () => Promise<boolean>
}

export interface StartedDatabases {
  /** Returns whether a database was checked. */
  readonly isChecked: (database: ServedDatabase) => boolean
  /** Returns whether one of the databases was checked. */
  readonly isStarted: () => boolean
  /** Returns whether one of the databases can serve requests: for `/readyz`. */
  readonly canServe: () => Promise<boolean>
  /**
   * Checks the others until they are started, too. Throws if the only database can be reached and must not be served. A
   * shard is then logged and checked again, because the process serves the others.
   */
  readonly startOthers: () => Promise<void>
}

/**
 * Checks the databases of a process. Throws if none was started and one of the errors is not that it can't be reached.
 * With `isPatient: false`, throws the first error.
 */
export async function startDatabases(
  databases: readonly ServedDatabase[],
  { log, isPatient }: { log: Logger; isPatient: boolean },
): Promise<StartedDatabases> {
  const started = new Set<ServedDatabase>()
  const start = async (database: ServedDatabase) => {
    await database.check()
    started.add(database)
  }
  const results = await Promise.allSettled(databases.map(start))
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  const [error] = isPatient ? errors.filter((one) => !isUnreachable(one)) : errors
  if (error !== undefined && (!isPatient || started.size === 0)) throw error
  const probes = new Map<ServedDatabase, Promise<boolean>>()
  // One probe at a time, since one that hangs would take further connections of its shard.
  const probe = (database: ServedDatabase) => {
    const probing = probes.get(database) ?? database.canServe().finally(() => probes.delete(database))
    probes.set(database, probing)
    return probing
  }
  return {
    isChecked: (database) => started.has(database),
    isStarted: () => started.size > 0,
    canServe: () => isAnyTrue([...started].map(probe)),
    async startOthers() {
      const others = databases.filter((database) => !started.has(database))
      await Promise.all(others.map((database) => startLater(database, () => start(database), log)))
    },
  }
}

/** Resolves to true with the first that is, so that a shard that hangs doesn't delay the answer of the others. */
const isAnyTrue = (answers: readonly Promise<boolean>[]): Promise<boolean> =>
  Promise.any(
    answers.map(async (answer) => (await answer) || Promise.reject(new Error('It can’t serve.'))),
  ).catch(() => false)

async function startLater({ shard }: ServedDatabase, start: () => Promise<void>, log: Logger): Promise<void> {
  const fields = (err: unknown) => ({ err, ...(shard !== undefined && { shard }) })
  const onFailure = (err: unknown) => log.error(fields(err), 'the database is not reachable: trying again')
  for (;;) {
    try {
      return await untilReachable(start, onFailure)
    } catch (error) {
      if (shard === undefined) throw error
      log.error(fields(error), 'the shard can’t be served: trying again')
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE).unref())
  }
}
