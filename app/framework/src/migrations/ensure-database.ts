import { Client } from 'pg'
import { SqlState, sqlState } from '../database/sql-states.ts'

/**
 * Creates the database `name` if it doesn't exist. Two processes may call it at the same time. `maintenanceUrl` is the
 * URL of any database on the server, with a user who may create databases.
 */
export function ensureDatabase(maintenanceUrl: string, name: string): Promise<void> {
  return connected(maintenanceUrl, async (client) => {
    const result = await client.query('select from pg_database where datname = $1', [name])
    if (result.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  }).catch((error: unknown) => {
    if (!EXISTS.has(sqlState(error))) throw error
  })
}

/** The errors of a database that another process has just created. The second is from a unique index of the catalog. */
const EXISTS = new Set<string | null>([SqlState.duplicateDatabase, SqlState.uniqueViolation])

/**
 * Creates the database of this URL if it doesn't exist. Returns true if it created the database. Throws if the server
 * can't be reached within five seconds, or if the user may not create databases.
 */
export async function createIfMissing(url: string): Promise<boolean> {
  try {
    await connected(url, () => Promise.resolve())
    return false
  } catch (error) {
    if (sqlState(error) !== SqlState.invalidCatalogName) throw error
  }
  await ensureDatabase(maintenanceUrl(url), databaseName(url))
  return true
}

/**
 * Drops the database of this URL, disconnects its users, creates it again empty, and returns the result of `refill`.
 * Returns null and does nothing if another process is recreating the database. **All data is lost.**
 */
export function recreateDatabase<Result>(url: string, refill: () => Promise<Result>): Promise<Result | null> {
  return connected(maintenanceUrl(url), async (client) => {
    const name = databaseName(url)
    const lock = await client.query<{ ours: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as ours',
      [`pergola reset ${name}`],
    )
    if (lock.rows[0]?.ours !== true) return null
    await client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`)
    await client.query(`create database ${client.escapeIdentifier(name)}`)
    return refill()
  })
}

/** Returns the name of the database in this URL; without one, the name of the user. */
export function databaseName(url: string): string {
  const { pathname, username } = new URL(url)
  // Like libpq, use the name of the user if the URL has no database name.
  return decodeURIComponent(pathname.slice(1) || username)
}

/** Returns the URL of another database on the same server, one that every server has. */
const maintenanceUrl = (url: string): string =>
  databaseUrl(url, databaseName(url) === 'postgres' ? 'template1' : 'postgres')

/** Returns the URL of another database on the same server. */
export function databaseUrl(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/** Calls `work` with a connection, and closes it. */
export async function connected<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  // Without a listener, a connection that breaks between two statements would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end()
  }
}
