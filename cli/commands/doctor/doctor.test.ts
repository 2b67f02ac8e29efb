import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '#app/config.ts'
import { databaseUrl } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { greetingMailServer } from '../../test-support/greeting-mail-server.ts'
import { runCli } from '../../test-support/run-cli.ts'
import { DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { hashPassword } from '#app/users/password.ts'
import { checkGit } from './check-git.ts'
import { checkMail } from './check-mail.ts'
import { checkNode } from './check-node.ts'
import { checkPort } from './check-port.ts'
import {
  checkAccounts,
  checkAddress,
  checkConnections,
  checkLog,
  checkPoolSize,
  checkReplicas,
  checkShutdown,
  checkSecurityTxt,
} from './check-production.ts'
import { checkEnvFile, checkSecret } from './check-secret.ts'
import type { Finding } from './finding.ts'

const { db, url } = await testDatabase()
const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
afterAll(() => rmSync(folder, { recursive: true }))

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: url,
  BASE_URL: 'https://example.org',
  SESSION__SECRET: 'a secret of more than thirty-two characters',
  MAIL__URL: await greetingMailServer(),
  MAIL__FROM: 'no-reply@example.org',
}

async function doctor(env: Record<string, string>) {
  const { code, stdout } = await runCli(['doctor', '--json'], { env: { PORT: '0', ...env } })
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] }
  const wrong = findings.filter(({ state }) => state === 'wrong')
  return { code, ok, ids: findings.map(({ id }) => id), wrong }
}

// Each run compiles the table types of the application.
describe('cli doctor', () => {
  it('finds no problems here', async () => {
    const { code, stdout } = await runCli(['doctor'], { env: { DATABASE_URL: url, PORT: '0' } })
    expect(stdout).toMatch(/^ok +database-version +PostgreSQL \d+/m)
    expect(stdout).toMatch(/^ok +list-indexes/m)
    expect(stdout).toMatch(/\nNo problems found\.\n$/)
    expect(code).toBe(0)
  })

  it('notes the capabilities that the database lacks', async () => {
    const name = sql.id(new URL(url).pathname.slice(1))
    await sql`alter database ${name} set default_transaction_isolation to serializable`.execute(db)
    const { code, stdout } = await runCli(['doctor'], { env: { DATABASE_URL: url, PORT: '0' } })
    await sql`alter database ${name} reset default_transaction_isolation`.execute(db)
    expect(stdout).toMatch(/^note +engine +The default isolation of the database is serializable\./m)
    expect(code).toBe(0)
  })

  it('prints an id for each check, and a fix for each problem', async () => {
    await sql`alter table users add extra text`.execute(db)
    const { code, ok, ids, wrong } = await doctor({ DATABASE_URL: url })
    await sql`alter table users drop extra`.execute(db)
    expect([code, ok]).toEqual([1, false])
    expect(ids.toSorted()).toEqual(
      [
        'node',
        'configuration',
        'env-file',
        'manifest',
        'session-secret',
        'git',
        'port',
        'mail',
        'database',
        'database-version',
        'engine',
        'migrations',
        'types',
        'columns',
        'list-indexes',
      ].toSorted(),
    )
    expect(wrong).toEqual([
      {
        id: 'types',
        state: 'wrong',
        message: 'users.extra: The type lacks this column. The database has string | null.',
        todo: expect.stringContaining('npx cli db types --check') as unknown,
      },
    ])
  })

  it('prints the statements for each missing index of a list, one per line', async () => {
    await sql`drop index users_name_search, users_name_sort`.execute(db)
    await sql`create index users_name_sort on users (email)`.execute(db)
    await sql`update pg_index set indisvalid = false where indexrelid = 'users_name_sort'::regclass`.execute(
      db,
    )
    const { code, stdout } = await runCli(['doctor'], { env: { DATABASE_URL: url, PORT: '0' } })
    const remedies = stdout.split('\n').filter((line) => line.includes(' index concurrently '))
    expect(remedies.map((line) => line.trim())).toEqual([
      '→ create index concurrently users_name_search on users using gin (name gin_trgm_ops);',
      '→ drop index concurrently users_name_sort;',
      '→ create index concurrently users_name_sort on users using btree (name, id);',
    ])
    expect(stdout).toMatch(
      /^note +list-indexes +\S*user\.repository\.ts:\d+: lists of User are searched by name, which has no index\.$/m,
    )
    expect(code).toBe(0)
    for (const remedy of remedies) await sql.raw(remedy.replace('→', '')).execute(db)
    const again = await runCli(['doctor'], { env: { DATABASE_URL: url, PORT: '0' } })
    expect(again.stdout).toMatch(
      /^ok +list-indexes +The columns of searches, orders and filters have indexes\.$/m,
    )
  })

  it('lists pending migrations and missing indexes, and then skips the types', async () => {
    await sql`drop index users_name_sort`.execute(db)
    const { rows } = await sql<{
      name: string
    }>`select * from kysely_migration order by name desc limit 1`.execute(db)
    await sql`delete from kysely_migration where name = ${rows[0]?.name}`.execute(db)
    const { code, wrong, ids } = await doctor({ DATABASE_URL: url })
    await sql`create index users_name_sort on users (name, id)`.execute(db)
    await sql`insert into kysely_migration select * from jsonb_populate_record(null::kysely_migration, ${JSON.stringify(rows[0])}::jsonb)`.execute(
      db,
    )
    expect([
      code,
      wrong.map(({ id, todo }) => [id, todo]),
      ids.includes('types'),
      ids.includes('list-indexes'),
    ]).toEqual([1, [['migrations', 'npx cli db migrate']], false, true])
  })

  it('reports that the tables of jobs are missing', async () => {
    await sql`alter schema pgboss rename to elsewhere`.execute(db)
    const { wrong } = await doctor({ DATABASE_URL: url })
    await sql`alter schema elsewhere rename to pgboss`.execute(db)
    expect(wrong).toEqual([
      expect.objectContaining({
        message: 'The tables of jobs and schedules are missing.',
        todo: 'npx cli db migrate',
      }),
    ])
  })

  it('lists executed migrations without a file', async () => {
    await sql`insert into kysely_migration values ('20990101000000_gone', '2099-01-01T00:00:00Z')`.execute(db)
    const { wrong } = await doctor({ DATABASE_URL: url })
    await sql`delete from kysely_migration where name like '2099%'`.execute(db)
    expect(wrong).toEqual([
      expect.objectContaining({
        id: 'migrations',
        message: 'These migrations have run, but their files are missing: 20990101000000_gone.',
      }),
    ])
  })

  it('reports a missing database, and still runs the other checks', async () => {
    const { code, wrong, ids } = await doctor({ DATABASE_URL: databaseUrl(url, 'no_such_database') })
    expect([code, wrong.map(({ id }) => id)]).toEqual([1, ['database']])
    expect(ids).toContain('manifest')
  })

  it('reports each invalid production setting separately', async () => {
    const { wrong } = await doctor({ ...production, DATABASE_URL: '', BASE_URL: '', ACCOUNTS__DEMO: 'true' })
    expect(wrong.map(({ id }) => id)).toEqual(['database-url', 'base-url', 'demo-accounts'])
  })

  it('reports in production the public demo password, an address without https and a guessable secret', async () => {
    const password_digest = await hashPassword(DEMO_PASSWORD)
    await db.insertInto('users').values({ name: 'A', email: 'alice@example.test', password_digest }).execute()
    const { wrong } = await doctor(production)
    await db.deleteFrom('users').execute()
    expect(wrong.map(({ id }) => id)).toEqual(['demo-passwords'])
    const unsafe = await doctor({
      ...production,
      BASE_URL: 'http://example.org',
      SESSION__SECRET: 'ab'.repeat(20),
    })
    expect(unsafe.wrong.map(({ id }) => id)).toEqual(['base-url', 'session-secret'])
    expect((await doctor(production)).wrong).toEqual([])
  })
})

describe('checkAddress and checkLog', () => {
  it('note an address of this machine, and a silent log', () => {
    const config = (env: Record<string, string> = {}) => readConfig({ ...production, ...env })
    expect(checkAddress(config()).state).toBe('ok')
    expect(checkAddress(config({ BASE_URL: 'http://localhost:3000' })).state).toBe('note')
    expect(checkLog(config()).state).toBe('ok')
    expect(checkLog(config({ SERVER__LOG_LEVEL: 'silent' })).state).toBe('note')
  })
})

describe('checkPoolSize and checkShutdown', () => {
  const config = (env: Record<string, string> = {}) => readConfig({ ...production, ...env })

  it('note a pool that is too small for a request', () => {
    expect(checkPoolSize(config({ DATABASE__POOL_SIZE: '5' })).state).toBe('ok')
    expect(checkPoolSize(config({ DATABASE__POOL_SIZE: '4' })).state).toBe('note')
  })

  it('note a shutdown that takes longer than Docker waits', () => {
    expect(checkShutdown(config()).state).toBe('ok')
    expect(checkShutdown(config({ SERVER__LINGER_SECONDS: '6' })).state).toBe('note')
  })
})

describe('checkConnections', () => {
  it('compares the pool with the connections that Postgres allows', async () => {
    const stateWith = async (size: string) =>
      (await checkConnections(db, readConfig({ ...production, DATABASE__POOL_SIZE: size }))).state
    expect(await stateWith('2')).toBe('ok')
    expect(await stateWith('1000')).toBe('wrong')
  })
})

describe('checkAccounts', () => {
  it('notes that no enabled user is an admin', async () => {
    const state = async () => (await checkAccounts(db)).find(({ id }) => id === 'admin')?.state
    const admin = { name: 'A', email: 'a@example.test', password_digest: 'none', roles: ['admin'] }
    expect(await state()).toBe('note')
    await db.insertInto('users').values(admin).execute()
    expect(await state()).toBe('ok')
    await sql`update users set disabled_at = now()`.execute(db)
    expect(await state()).toBe('note')
    await sql`delete from users`.execute(db)
  })
})

describe('checkEnvFile', () => {
  it('reports a .env in git', () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
    git('init')
    writeFileSync(join(folder, '.env'), 'SESSION__SECRET=x')
    expect(checkEnvFile(folder).state).toBe('ok')
    git('add', '-f', '.env')
    expect(checkEnvFile(folder).state).toBe('wrong')
  })
})

describe('checkNode', () => {
  it.each([
    ['24.16.0', 'ok'],
    ['25.1.0', 'ok'],
    ['24.9.0', 'wrong'],
    ['22.99.0', 'wrong'],
  ])('returns for Node %s: %s', (version, state) => {
    expect(checkNode(version).state).toBe(state)
  })
})

describe('checkGit', () => {
  it.each([
    ['git version 2.38.0', 'ok'],
    ['git version 2.39.5 (Apple Git-154)', 'ok'],
    ['git version 3.0.0.windows.1', 'ok'],
    ['git version 2.37.9', 'note'],
    [null, 'note'],
  ])('returns for %s: %s', (printed, state) => {
    expect(checkGit(printed).state).toBe(state)
  })
})

describe('checkSecurityTxt', () => {
  const checked = (env: Record<string, string>) =>
    checkSecurityTxt(readConfig({ NODE_ENV: 'development', ...env })).map(({ state }) => state)
  const SECURITY_TXT__CONTACT = 'mailto:security@example.org'

  it('rejects a time in the past', () => {
    expect(checked({ SECURITY_TXT__CONTACT, SECURITY_TXT__EXPIRES: '2026-01-01T00:00:00Z' })).toEqual([
      'wrong',
    ])
    expect(checked({ SECURITY_TXT__CONTACT, SECURITY_TXT__EXPIRES: '2099-01-01T00:00:00Z' })).toEqual(['ok'])
    expect(checked({})).toEqual([])
  })
})

describe('checkSecret', () => {
  const checked = (env: Record<string, string>) =>
    checkSecret(readConfig({ NODE_ENV: 'development', DATA_DIR: folder, ...env })).state

  it('rejects a weak secret, and a file that other users can read', () => {
    expect(checked({ SESSION__SECRET: 'ab'.repeat(20) })).toBe('wrong')
    expect(checked({ SESSION__SECRET: 'Tz0Q2n6rV9yX1cE4gH7jK3mP5sU8wB0d' })).toBe('ok')
    expect(checked({ SESSION__SECRET: `Tz0Q2n6rV9yX1cE4gH7jK3mP5sU8wB0d,${'ab'.repeat(20)}` })).toBe('wrong')
    expect(checked({})).toBe('ok')
    writeFileSync(join(folder, 'session_secret'), 'x', { mode: 0o600 })
    expect(checked({})).toBe('ok')
    rmSync(join(folder, 'session_secret'))
    writeFileSync(join(folder, 'session_secret'), 'x', { mode: 0o644 })
    expect(checked({})).toBe('wrong')
  })
})

describe('checkMail', () => {
  const config = (env: Record<string, string>) => readConfig({ ...production, ...env })

  it('is wrong if the mail server refuses connections', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    const url = `smtp://user:hunter2@127.0.0.1:${port}`
    const finding = await checkMail(config({ MAIL__URL: url, MAIL__FROM: 'no-reply@example.org' }))
    expect(finding).toMatchObject({ id: 'mail', state: 'wrong' })
    expect(finding.message).toMatch(
      /^The mail server 127\.0\.0\.1:\d+ could not be used: connect ECONNREFUSED/,
    )
  })

  it('is ok for a folder', async () => {
    const development = readConfig({ NODE_ENV: 'development', DATA_DIR: '/tmp/x' })
    expect(await checkMail(development)).toMatchObject({
      state: 'ok',
      message: 'Mails are not sent, but stored in /tmp/x/mail.',
    })
  })
})

describe('checkPort', () => {
  it('notes in development, and rejects in production, a port that another program uses', async () => {
    const server = createServer((socket) => socket.end('no HTTP')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const states = ['development', 'production'].map(async (profile) => {
      const config = readConfig({ ...production, NODE_ENV: profile, PORT: String(port) })
      return (await checkPort(config)).state
    })
    expect(await Promise.all(states)).toEqual(['note', 'wrong'])
    server.close()
  })
})

describe('checkReplicas', () => {
  it('finds a server that is no replica, and repeats no password', async () => {
    const config = readConfig({ ...production, DATABASE__REPLICA_URLS: url })
    const [finding] = await checkReplicas(url, config)
    expect(finding).toMatchObject({ state: 'wrong' })
    expect(finding?.message).toMatch(
      /^Lists are not read from the replica .+ It is not a replica: it accepts/,
    )
    expect(finding?.message).not.toContain(new URL(url).password)
  })

  it('has nothing to say without replicas', async () => {
    expect(await checkReplicas(url, readConfig(production))).toEqual([])
  })
})
