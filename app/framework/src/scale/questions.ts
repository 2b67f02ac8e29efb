import { SqlState, sqlState } from '../database/sql-states.ts'

/** The answer of the primary to `ASK_PRIMARY`. */
export interface PrimaryAnswer {
  readonly system: string
  /** The position of its next record. */
  readonly next: string
  /** Bytes of a file of its log. */
  readonly segment: string
  /** A promotion begins a new one. */
  readonly timeline: string
}

export const ASK_PRIMARY = `select system_identifier::text as system, pg_current_wal_insert_lsn()::text as next,
  pg_size_bytes(current_setting('wal_segment_size'))::text as segment,
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline from pg_control_system()`

/** The answer of a replica to `ASK_REPLICA`. */
export interface ReplicaAnswer {
  readonly recovering: boolean
  readonly system: string | null
  readonly replayed: string | null
  /** The time of the server's start. */
  readonly started: string
}

export const ASK_REPLICA = `select system_identifier::text as system, pg_last_wal_replay_lsn()::text as replayed,
  pg_is_in_recovery() as recovering, pg_postmaster_start_time()::text as started from pg_control_system()`

/** The functions of both questions that a role may be forbidden to execute. */
const FUNCTIONS = [
  'pg_control_system()',
  'pg_current_wal_insert_lsn()',
  'pg_last_wal_replay_lsn()',
  'pg_walfile_name(pg_lsn)',
]

/** Returns the problem and the remedy if the server of this URL forbids the question to its role. Null for another error. */
export function refusalOf(error: Error, url: string): string | null {
  if (sqlState(error) !== SqlState.insufficientPrivilege) return null
  const role = decodeURIComponent(new URL(url).username)
  return `Its lag is unknown: ${error.message}. Run on the primary: grant execute on function ${FUNCTIONS.join(', ')} to "${role}".`
}

/** Whether an engine lacks the functions. After any other error, such as too many connections, it may have them. */
export const lacksPositions = (error: Error): boolean =>
  [SqlState.featureNotSupported, SqlState.undefinedFunction].some((state) => sqlState(error) === state)

/** The question for an engine without positions, such as Aurora. */
export const ASK_WITHOUT_POSITION = `select pg_is_in_recovery() as recovering, null as system, null as replayed,
  pg_postmaster_start_time()::text as started`
