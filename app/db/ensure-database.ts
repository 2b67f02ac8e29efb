import { Client, DatabaseError } from 'pg'

const ALREADY_THERE = ['42P04', '23505']

/**
 * Creates the database if it isn't there; safe when two processes do it at once. `maintenanceUrl` leads to
 * any database of the server (usually `postgres`), as a user who may create databases.
 */
export async function ensureDatabase(maintenanceUrl: string, name: string): Promise<void> {
  const client = new Client({ connectionString: maintenanceUrl })
  await client.connect()
  try {
    const found = await client.query('select from pg_database where datname = $1', [name])
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  } catch (error) {
    // Whoever loses the race is told so by the catalog's unique index when both were past the name check.
    if (!(error instanceof DatabaseError && ALREADY_THERE.includes(error.code ?? ''))) throw error
  } finally {
    await client.end()
  }
}
