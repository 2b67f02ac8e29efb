import { Client, DatabaseError } from 'pg'

const ALREADY_THERE = ['42P04', '23505']
const NO_SUCH_DATABASE = '3D000'

/**
 * Creates the database if it isn't there; safe when two processes do it at once. `maintenanceUrl` leads to
 * any database of the server (usually `postgres`), as a user who may create databases.
 */
export function ensureDatabase(maintenanceUrl: string, name: string): Promise<void> {
  return connected(maintenanceUrl, async (client) => {
    const found = await client.query('select from pg_database where datname = $1', [name])
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  }).catch((error: unknown) => {
    // Whoever loses the race is told so by the catalog's unique index when both were past the name check.
    if (!(error instanceof DatabaseError && ALREADY_THERE.includes(error.code ?? ''))) throw error
  })
}

/** Creates the database that this address leads to if it isn't there. Says whether it did. */
export async function createIfMissing(url: string): Promise<boolean> {
  try {
    await connected(url, () => Promise.resolve())
    return false
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === NO_SUCH_DATABASE)) throw error
  }
  await ensureDatabase(maintenanceUrl(url), databaseName(url))
  return true
}

/**
 * Drops the database with everything in it, whoever is connected to it, creates an empty one of its name, and gives what
 * `refill` makes of that. Null, and nothing is done, while somebody else does the same.
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

/** The name of the database that this address leads to. */
export function databaseName(url: string): string {
  const { pathname, username } = new URL(url)
  // As libpq has it: without a name, the user's.
  return decodeURIComponent(pathname.slice(1) || username)
}

/** The same server, the database that every server has. */
function maintenanceUrl(url: string): string {
  const address = new URL(url)
  address.pathname = databaseName(url) === 'postgres' ? '/template1' : '/postgres'
  return address.href
}

async function connected<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  // Kept: a connection that breaks while nothing is asked would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end()
  }
}
