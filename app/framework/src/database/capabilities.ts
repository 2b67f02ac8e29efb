import { PostgresAdapter, type QueryExecutorProvider } from 'kysely'

/** The capabilities of a database that not every engine with the protocol of Postgres has. */
export interface Capabilities {
  /** Whether each row has a version that every update changes: the system column `xmin`. */
  readonly rowVersions: boolean
  /** Whether tables are on other servers. The `xmin` of their rows is 0, so the database has no row versions. */
  readonly foreignTables: boolean
  /** Whether `pg_advisory_lock` and its relatives lock. */
  readonly advisoryLocks: boolean
  /** Whether a rollback undoes changes of the schema. */
  readonly transactionalSchema: boolean
  /** Whether the ids of identity columns begin below 2^53 and are assigned in ascending order. */
  readonly orderedIds: boolean
  /** False for a standby, and for a read-only database. */
  readonly acceptsWrites: boolean
  /** The isolation level of statements, and of transactions that don't set their own. */
  readonly isolation: string
}

const isYugabyte = `version() like '%-YB-%'`
const isCockroach = `version() like 'CockroachDB%'`
const setting = (name: string) => `coalesce(current_setting('${name}', true), '')`

/**
 * The SQL of each capability. It reads catalogs and settings instead of using the capability, so that it doesn't fail
 * if one is missing. Some engines list a capability that they lack: YugabyteDB the column `xmin`, and CockroachDB
 * advisory locks that don't lock.
 */
const QUESTIONS: Readonly<Record<keyof Capabilities, string>> = {
  rowVersions: `exists (select 1 from pg_attribute where attrelid = 'pg_class'::regclass and attname = 'xmin')
    and not ${isYugabyte} and not exists (select 1 from pg_foreign_table)`,
  foreignTables: 'exists (select 1 from pg_foreign_table)',
  advisoryLocks: `exists (select 1 from pg_proc where proname = 'pg_advisory_xact_lock') and not ${isCockroach}`,
  transactionalSchema: `case when ${isYugabyte} then ${setting('yb_ddl_transaction_block_enabled')} = 'on'
    when ${isCockroach} then ${setting('autocommit_before_ddl')} = 'off' else true end`,
  orderedIds: `not exists (select 1 from pg_sequence join pg_depend on objid = seqrelid
    where classid = 'pg_class'::regclass and deptype = 'i' and (seqcache > 1 or seqstart > ${Number.MAX_SAFE_INTEGER}))`,
  acceptsWrites: `current_setting('transaction_read_only') = 'off'`,
  isolation: `current_setting('default_transaction_isolation')`,
}

/** The expressions of a `select` with one column for each capability. They are part of the first session's check. */
export const CAPABILITY_COLUMNS = Object.entries(QUESTIONS).map(
  ([name, question]) => `${question} as "${name}"`,
)

/** Returns the capabilities in a row with these columns. */
export const readCapabilities = (row: Capabilities): Capabilities =>
  Object.fromEntries(Object.keys(QUESTIONS).map((name) => [name, row[name as keyof Capabilities]])) as never

/** The capabilities of Postgres, which are assumed before the first session has opened. */
const POSTGRES: Capabilities = {
  rowVersions: true,
  foreignTables: false,
  advisoryLocks: true,
  transactionalSchema: true,
  orderedIds: true,
  acceptsWrites: true,
  isolation: 'read committed',
}

/** A pool of sessions. Its capabilities are undefined until its first session has opened. */
interface Probed {
  readonly capabilities: Capabilities | undefined
}

/**
 * The adapter of a database, which the database shares with its transactions.
 *
 * Disables Kysely's own lock for migrations. That lock belongs to a session, which a connection pooler keeps open after
 * the process has ended, and other processes wait an hour for it. `run-migrations.ts` uses a lock of the transaction.
 */
export class ProbedAdapter extends PostgresAdapter {
  readonly pool: Probed

  constructor(pool: Probed) {
    super()
    this.pool = pool
  }

  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

function probedOf(db: QueryExecutorProvider): Capabilities | undefined {
  const { adapter } = db.getExecutor()
  return adapter instanceof ProbedAdapter ? adapter.pool.capabilities : undefined
}

let overrides: Partial<Capabilities> = {}

/** Replaces capabilities of all databases of this process: for tests. The next call replaces the replacements. */
export function overrideCapabilities(values: Partial<Capabilities>): void {
  overrides = values
}

/** Returns the capabilities of a database or a transaction. Before its first statement, returns those of Postgres. */
export function capabilitiesOf(db: QueryExecutorProvider): Capabilities {
  return { ...POSTGRES, ...probedOf(db), ...overrides }
}

/** Returns whether rows have a version of their own. Called for each statement that reads rows. */
export const hasRowVersions = (db: QueryExecutorProvider): boolean =>
  overrides.rowVersions ?? probedOf(db)?.rowVersions ?? true
