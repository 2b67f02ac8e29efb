import { Client } from 'pg'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { createDatabase, databaseUrl, dropDatabases } from 'pergola/lab'
import { runCli } from '../../test-support/run-cli.ts'

const { adminUrl, prefix } = inject('databases')
const name = `${prefix}db_commands`
const url = databaseUrl(adminUrl, name)
afterAll(() => dropDatabases(adminUrl, name))

const db = (line: string, env: Record<string, string> = {}) =>
  runCli(['db', ...line.split(' ')], { env: { DATABASE_URL: url, ...env } })
const dataOf = ({ stdout }: { stdout: string }): unknown => JSON.parse(stdout)

const production = {
  NODE_ENV: 'production',
  BASE_URL: 'https://example.org',
  SESSION__SECRET: 'a secret of more than thirty-two characters',
}

async function sql(text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

describe('cli db prepare', () => {
  it('creates, migrates and seeds, and does nothing the second time', async () => {
    const first = await db('prepare --json')
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(dataOf(first)).toMatchObject({
      created: true,
      seeded: expect.arrayContaining(['users']) as unknown,
    })
    const again = await db('prepare')
    expect([again.code, again.stdout]).toEqual([
      0,
      'Nothing to migrate.\nNothing to seed: every table has rows.\n',
    ])
    expect(await sql('select count(*)::int as users from users')).toEqual([{ users: 3 }])
  })

  it('creates no demo accounts if accounts.demo is false', async () => {
    await sql('truncate users cascade')
    const { code, stdout } = await db('prepare --json', { ACCOUNTS__DEMO: 'false' })
    expect([code, JSON.parse(stdout)]).toEqual([0, { created: false, migrated: [], seeded: [] }])
    // The users table is empty, so the message about seeding must be missing.
    expect((await db('prepare', { ACCOUNTS__DEMO: 'false' })).stdout).toBe('Nothing to migrate.\n')
    await db('seed')
  })
})

describe('cli db rollback and status', () => {
  it('roll back the last migration, and list executed and pending migrations', async () => {
    const before = dataOf(await db('status --json')) as { name: string; executed_at: string | null }[]
    expect(before.every(({ executed_at }) => executed_at !== null)).toBe(true)
    const last = before.at(-1)?.name ?? ''
    expect(await db('rollback')).toEqual({ code: 0, stdout: `Rolled back ${last}.\n`, stderr: '' })
    const { code, stdout } = await db('status')
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^pending +${last}$`, 'm'))
    expect(stdout).toMatch(/^run +20260101000000_create_users +\d{4}-/m)
    expect(dataOf(await db('migrate --json'))).toEqual({ migrated: [last] })
  })

  it('change nothing in a database without migrations', async () => {
    const empty = `${prefix}db_commands_empty`
    await createDatabase(adminUrl, empty)
    const { code, stdout } = await db('status --json', { DATABASE_URL: databaseUrl(adminUrl, empty) })
    expect([code, (JSON.parse(stdout) as { executed_at: unknown }[]).map((one) => one.executed_at)]).toEqual([
      0,
      expect.arrayContaining([null]),
    ])
    const rolled = await db('rollback 3 --json', { DATABASE_URL: databaseUrl(adminUrl, empty) })
    expect([rolled.code, dataOf(rolled)]).toEqual([0, { rolled_back: [] }])
  })

  it('exit with 5 if another session holds a lock', async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query('begin')
    // This lock blocks writers, such as a rollback, but not readers.
    await client.query('lock table kysely_migration in exclusive mode')
    const { code, stderr } = await db('rollback')
    await client.end()
    expect([code, stderr]).toEqual([5, expect.stringContaining('lock timeout')])
  })
})

describe('database.migration_url', () => {
  it('is the database of the commands that change tables', async () => {
    const pooler = {
      DATABASE_URL: databaseUrl(adminUrl, `${prefix}no_such_database`),
      DATABASE__MIGRATION_URL: url,
    }
    const states = dataOf(await db('status --json', pooler)) as { name: string }[]
    const last = states.at(-1)?.name
    expect(dataOf(await db('rollback --json', pooler))).toEqual({ rolled_back: [last] })
    expect(dataOf(await db('migrate --json', pooler))).toEqual({ migrated: [last] })
    expect((await db('seed', pooler)).code).not.toBe(0)
  })
})

describe('cli db rollback in production', () => {
  it.each([
    ['no name', 'rollback', 4],
    ['another name', 'rollback 2 --confirm other', 2],
  ])('changes nothing with %s', async (_, line, exitCode) => {
    expect(await db(line, production)).toMatchObject({ code: exitCode, stdout: '' })
    expect(await sql('select count(*)::int as runs from task_runs')).toHaveLength(1)
  })

  it('rolls back with the name', async () => {
    expect(await db(`rollback --json --confirm ${name}`, production)).toMatchObject({ code: 0 })
    expect(await db('migrate', production)).toMatchObject({ code: 0 })
  })
})

describe('cli db reset', () => {
  it('is rejected while another process resets', async () => {
    const client = new Client({ connectionString: databaseUrl(adminUrl, 'postgres') })
    await client.connect()
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`pergola reset ${name}`])
    const { code, stdout, stderr } = await db('reset')
    await client.end()
    expect([code, stdout, stderr]).toEqual([5, '', expect.stringContaining('Another process is resetting')])
    expect(await sql('select count(*)::int as users from users')).toEqual([{ users: 3 }])
  })

  it('drops the database despite open connections, and prepares a new one', async () => {
    await sql('create table leftover (id int)')
    const guest = new Client({ connectionString: url })
    guest.on('error', () => {})
    await guest.connect()
    const reset = await db('reset --json')
    expect(dataOf(reset)).toMatchObject({
      database: name,
      seeded: expect.arrayContaining(['users']) as unknown,
    })
    expect(await sql(`select to_regclass('leftover') as leftover`)).toEqual([{ leftover: null }])
  })

  it.each([
    ['no name', 'reset', 4, 'Input is required, but there is no terminal.'],
    [
      'another name',
      'reset --confirm other',
      2,
      `The database is ${name}, not "other". No changes were made.`,
    ],
  ])('changes nothing in production with %s', async (_, line, exitCode, message) => {
    const { code, stdout, stderr } = await db(line, production)
    expect([code, stdout, stderr]).toEqual([exitCode, '', expect.stringContaining(message)])
    expect(await sql('select count(*)::int as users from users')).toEqual([{ users: 3 }])
  })

  it('changes nothing in development with another name', async () => {
    expect(await db('reset --confirm other')).toMatchObject({ code: 2, stdout: '' })
    expect(await sql('select count(*)::int as users from users')).toEqual([{ users: 3 }])
  })

  it('resets in production with the name, and creates no demo accounts', async () => {
    const reset = await db(`reset --json --confirm ${name}`, production)
    expect([reset.code, dataOf(reset)]).toEqual([0, expect.objectContaining({ seeded: [] })])
    expect(await sql('select count(*)::int as users from users')).toEqual([{ users: 0 }])
  })
})

describe('cli db types', () => {
  it('has JSON of the differences alone', async () => {
    const { code, stdout } = await db('types --json')
    expect([code, JSON.parse(stdout)]).toEqual([2, { error: expect.stringContaining('--check') }])
  })

  it('prints the types of a table, and fails for an unknown table', async () => {
    const { code, stdout } = await db('types users')
    expect([code, stdout]).toEqual([0, expect.stringContaining('users: UserTable')])
    expect(await db('types nothing')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The database has no table nothing. If a migration creates it, run: npx cli db migrate\n',
    })
  })

  it('exits with 1 and lists the differences of types and tables, or with 0', async () => {
    expect(await db('types --check')).toEqual({
      code: 0,
      stdout: 'The types match the database.\n',
      stderr: '',
    })
    await sql('alter table users alter name drop not null')
    const { code, stdout, stderr } = await db('types --check --json')
    expect([code, stderr, JSON.parse(stdout)]).toEqual([
      1,
      '',
      [{ table: 'users', column: 'name', problem: 'The type differs. The database has string | null.' }],
    ])
    expect((await db('types --check sessions')).code).toBe(0)
  })
})
