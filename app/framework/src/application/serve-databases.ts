import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { Shards } from '../scale/shards.ts'
import type { Tables } from '../resource/tables.ts'
import { type DatabaseConfig, databasesOf } from './database-settings.ts'
import { databaseServer, type OnOpen, openDatabase } from './open-database.ts'
import { describeRefusedUrl } from './refused-url.ts'
import { type ServedDatabase, startDatabases } from './start-databases.ts'

interface ServerWork<Config> {
  readonly log: Logger
  /** Called before each check with the URL of a database: to migrate and seed it in development and test. */
  readonly prepare?: (url: string, config: Config, log: Logger) => Promise<void>
  readonly onOpen?: OnOpen<Config>
  /** Checks a database once, before its first request. Throws an error with the remedy. */
  readonly check: (db: Kysely<Tables>, config: Config, log: Logger) => Promise<void>
  /** Returns whether a database can serve this version of the application. */
  readonly canServe: (db: Kysely<Tables>) => Promise<boolean>
}

/**
 * Opens the databases of a server process, and checks each. The messages about a shard have its name in the log. `db` is
 * the database, or those of `[[database.shards]]`, and `end` closes the connections.
 *
 * In production and with shards, the process starts although a database can't be reached. It is checked again until it
 * can be served: call `startOthers` when the server listens. Throws if the only database, or all shards, can't be served
 * for another reason.
 *
 * ```ts
 * const databases = await serveDatabases(config, { log, check: checkDatabase, canServe })
 * const { db, isStarted } = databases
 * const app = createApp({ config, db, log, resources, ready: databases.canServe, isStarted })
 * ```
 */
export async function serveDatabases<Config extends DatabaseConfig>(
  config: Config,
  work: ServerWork<Config>,
) {
  const opened: OpenedDatabase[] = []
  for (const one of databasesOf(config)) opened.push(await open(one, work))
  const isPatient = config.profile === 'production' || config.database.shards.length > 0
  const { isChecked, ...started } = await startDatabases(opened, { log: work.log, isPatient })
  return {
    ...started,
    db: joined(opened, isChecked),
    end: async () => {
      await Promise.all(opened.map(({ db }) => db.destroy()))
      for (const { leave } of opened) leave()
    },
  }
}

interface OpenedDatabase extends ServedDatabase {
  readonly db: Kysely<Tables>
  readonly leave: () => void
}

/** Opens the database, or that of one shard. */
async function open<Config extends DatabaseConfig>(
  config: Config,
  { log, prepare, onOpen, check, canServe }: ServerWork<Config>,
): Promise<OpenedDatabase> {
  const { shard } = config
  const { url, leave } = await databaseServer(config)
  const db = openDatabase(url, config, log)
  onOpen?.(db, config)
  const own = shard === undefined ? log : log.child({ shard })
  return {
    db,
    leave,
    shard,
    async check() {
      try {
        await prepare?.(url, config, own)
        await check(db, config, own)
      } catch (error) {
        throw describeRefusedUrl(error, config)
      }
    },
    canServe: () => canServe(db),
  }
}

function joined(
  opened: readonly OpenedDatabase[],
  isChecked: (database: ServedDatabase) => boolean,
): Kysely<Tables> | Shards {
  const shards = opened.flatMap(({ shard, db }) => (shard === undefined ? [] : [[shard, db] as const]))
  const isServed = (name: string) => opened.some((one) => one.shard === name && isChecked(one))
  return shards.length > 0 ? Shards.of(shards, isServed) : opened[0]!.db
}
