import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { sql } from 'kysely'
import { Client } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { withDatabase } from 'pergola'
import { enqueue, job } from 'pergola/jobs'
import { task } from 'pergola/tasks'
import { connectForTests, databaseUrl, isPooled, spawnServer, testServer } from 'pergola/lab'
import { runCli } from '../../test-support/run-cli.ts'
import { startWorker } from './start-worker.ts'

const { adminUrl, prefix, close } = await testServer()
const NAME = `${prefix}rights`
const OWNER = `${NAME}_owner`
const APP = `${NAME}_app`
const url = databaseUrl(adminUrl, NAME)
afterAll(close)

/** The SQL of docs/production/database-roles.md, with names of this test: a server has one role of each name. */
const statements = () => {
  const page = readFileSync(new URL('../../../docs/production/database-roles.md', import.meta.url), 'utf8')
  const [, block = ''] = /```sql\n(create role pergola_owner[\s\S]*?)```/.exec(page) ?? []
  return block
    .replaceAll('pergola_owner', OWNER)
    .replaceAll('pergola_app', APP)
    .replaceAll(/\bpergola\b/g, NAME)
    .split(/^\\connect .*\n/m)
}

async function execute(database: string, text: string): Promise<void> {
  const client = new Client({ connectionString: database })
  await client.connect()
  // One by one, because `create database` can't run in the transaction of a message with several statements.
  for (const statement of text.split(/;.*\n/)) await client.query(statement)
  await client.end()
}

function as(role: string, password: string): string {
  const address = new URL(url)
  address.username = role
  address.password = password
  return address.href
}

const env = {
  NODE_ENV: 'production',
  BASE_URL: 'https://example.org',
  SESSION__SECRET: 'the secret of a server with few rights',
  MAIL__URL: 'smtp://127.0.0.1:1',
  MAIL__FROM: 'no-reply@example.org',
  HOST: '127.0.0.1',
  PORT: '0',
  DATABASE_URL: as(APP, 'two'),
}

// A connection pooler doesn't know the roles.
const pooled = await isPooled(adminUrl)

describe.skipIf(pooled)('the database roles of docs/production/database-roles.md', () => {
  beforeAll(async () => {
    const [onServer = '', inDatabase = ''] = statements()
    await execute(adminUrl, onServer)
    await execute(url, inDatabase)
    return () =>
      execute(adminUrl, `drop database ${NAME} with (force);\ndrop role ${OWNER};\ndrop role ${APP};\n`)
  })

  it('name the setting if the one that serves migrates', async () => {
    const { code, stderr } = await runCli(['db', 'migrate'], { env })
    expect([code, stderr]).toEqual([1, expect.stringContaining('Set DATABASE__MIGRATION_URL to')])
    expect(stderr).toContain('permission denied for schema public')
  })

  it('migrate with one and serve with the other', async () => {
    const migrated = await runCli(['db', 'migrate'], {
      env: { ...env, DATABASE__MIGRATION_URL: as(OWNER, 'one') },
    })
    expect(migrated).toMatchObject({ code: 0 })
    const server = await spawnServer('app/server.ts', { ...env, SERVER__LOG_LEVEL: 'error' })
    expect(await post(`${server.url}/signup`, 'email=ann%40example.org')).toBe(303)
  })

  it('run tasks', async () => {
    expect(await runCli(['task', 'prune-sessions'], { env })).toMatchObject({ code: 0 })
  })

  it('run the worker and its jobs', async () => {
    const nightly = task('nightly', { description: '', schedule: '0 3 * * *', run: async () => {} })
    const ran = Promise.withResolvers<void>()
    const note = job('note', { run: async () => ran.resolve() })
    const db = open()
    const log = pino({ level: 'silent' })
    const worker = await startWorker({ db, tasks: [nightly], jobs: [note], leaseSeconds: 30, log })
    expect((await sql`select name from pgboss.schedule`.execute(db)).rows).toEqual([{ name: 'nightly' }])
    await withDatabase(db, () => enqueue(note, {}))
    await ran.promise
    await worker.stop(1_000)
  })

  it.each([
    'create table extra ()',
    'drop table users',
    'alter table users add extra text',
    'truncate users',
    'truncate pgboss.job',
    'drop table pgboss.job',
  ])('deny: %s', async (statement) => {
    await expect(sql.raw(statement).execute(open())).rejects.toMatchObject({ code: '42501' })
  })
})

function open() {
  const db = connectForTests(env.DATABASE_URL, {
    poolSize: 2,
    connectTimeout: 5_000,
    statementTimeout: 30_000,
    lockTimeout: 30_000,
  })
  onTestFinished(() => db.destroy())
  return db
}

async function post(address: string, form: string): Promise<number | undefined> {
  const sent = request(address, {
    method: 'POST',
    headers: { Host: 'example.org', 'Content-Type': 'application/x-www-form-urlencoded' },
  })
  sent.end(form)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}
