import { hash } from 'node:crypto'
import { hostname } from 'node:os'
import { joinEmbedded } from '../src/embedded/development-postgres.ts'
import { connected, databaseUrl } from '../src/migrations/ensure-database.ts'
import { isAlive } from '../src/tasks/machine.ts'

/**
 * Returns a Postgres server for tests: the server of `DATABASE_URL`, or the embedded one below `DATA_DIR` (`.data` by
 * default). Also drops the databases of killed test runs. `adminUrl` is the URL of a database on the server, with a user
 * who may create databases, and `prefix` begins the names of this process's databases. `close` drops these, and stops the
 * embedded server if no other process uses it.
 */
export async function testServer() {
  const { adminUrl, leave } = await anyServer()
  await dropLeftovers(adminUrl)
  return { adminUrl, prefix, close: () => dropDatabases(adminUrl, prefix).finally(leave) }
}

/** Creates an empty database, for example for the server of browser tests. `close` drops all databases of this process. */
export async function emptyDatabase(name = 'main') {
  const { adminUrl, prefix, close } = await testServer()
  await createDatabase(adminUrl, prefix + name)
  return { url: databaseUrl(adminUrl, prefix + name), close }
}

async function anyServer() {
  const configured = process.env.DATABASE_URL
  if (configured !== undefined && configured !== '') return { adminUrl: configured, leave: () => {} }
  const { url, leave } = await joinEmbedded(process.env.DATA_DIR ?? '.data')
  return { adminUrl: url('postgres'), leave }
}

/**
 * Creates a database on the server of `adminUrl`, empty or as a copy of `template`. Its commits don't wait for the
 * disk, so a crash of the server may lose the last commits. Throws if the name is in use, or if the template has open
 * connections. The name must be a plain SQL identifier.
 */
export function createDatabase(adminUrl: string, name: string, template = 'template0'): Promise<void> {
  return connected(adminUrl, async (client) => {
    await client.query(`create database ${name} template ${template}`)
    await client.query(`alter database ${name} set synchronous_commit = off`)
  })
}

/** Ends the connections to a database, such as those that a connection pooler keeps: a template must have none. */
export function disconnect(adminUrl: string, name: string): Promise<unknown> {
  return connected(adminUrl, (client) =>
    client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]),
  )
}

/** Drops the databases whose names begin with `prefix`, and that `mayDrop` accepts. Disconnects their users. */
export function dropDatabases(
  adminUrl: string,
  prefix: string,
  mayDrop: (name: string) => boolean = () => true,
): Promise<void> {
  return connected(adminUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [prefix],
    )
    for (const { name } of rows.filter((row) => mayDrop(row.name)))
      await client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`)
  })
}

// Contains a hash of the host name, because tests on another machine may use the same server.
const ofHost = `pergola_test_${hash('sha256', hostname()).slice(0, 8)}_`
const prefix = `${ofHost}${process.pid}_`

/** Drops the databases of dead processes on this machine. The names of the databases contain the process id. */
const dropLeftovers = (adminUrl: string): Promise<void> =>
  dropDatabases(adminUrl, ofHost, (name) => !isAlive(Number.parseInt(name.slice(ofHost.length))))
