import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spawnServer } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { runCli } from '../../test-support/run-cli.ts'

const root = join(import.meta.dirname, '../../..')
const clone = mkdtempSync(join(tmpdir(), 'tenant-'))
const PARTS = [
  'app',
  'cli',
  'views',
  'public',
  'e2e',
  'package.json',
  'tsconfig.json',
  'security.manifest.json',
]

beforeAll(() => {
  for (const part of PARTS) cpSync(join(root, part), join(clone, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
})
afterAll(() => rmSync(clone, { recursive: true }))

const { db, url } = await testDatabase()
const cli = (...args: string[]) =>
  runCli(args, { bin: join(clone, 'cli/bin.js'), cwd: clone, env: { DATABASE_URL: url } })
const read = (path: string) => readFileSync(join(clone, path), 'utf8')

describe('cli generate tenant', () => {
  it('gives each user an account, and the application tenantOf', async () => {
    const app = read('app/app.ts')
    writeFileSync(
      join(clone, 'app/app.ts'),
      app.replace('    findSession,\n', '    findSession: findSession,\n'),
    )
    const unknown = await cli('generate', 'tenant', 'team')
    expect(unknown.stderr).toContain('Could not edit app/app.ts. Add this to it: import { tenantOf }')
    for (const path of ['app/teams', 'app/test/tenants.test.ts'])
      rmSync(join(clone, path), { recursive: true })
    for (const part of ['app/db', 'app/users', 'app/test', 'app/app.ts']) {
      rmSync(join(clone, part), { recursive: true })
      cpSync(join(root, part), join(clone, part), { recursive: true })
    }
    const { code, stdout, stderr } = await cli('generate', 'tenant', 'account')
    expect([code, stderr]).toEqual([0, expect.stringContaining('Next: npx cli db migrate')])
    expect(stdout.match(/^(?:create|change) +(?!.*migrations).*$/gm)).toEqual([
      'create  app/accounts/account.ts',
      'create  app/accounts/account.factory.ts',
      'create  app/test/tenants.test.ts',
      'change  app/app.ts',
      'change  app/users/user.ts',
      'change  app/test/test-app.ts',
    ])
    expect(read('app/users/user.ts')).toContain('account_id: ColumnType<number, number | undefined, number>')
    expect(read('app/app.ts')).toContain('    findSession,\n    tenantOf,\n')
  })

  it('refuses a second kind of tenants', async () => {
    const { code, stderr } = await cli('generate', 'tenant', 'team')
    expect([code, stderr]).toEqual([3, expect.stringContaining('already are accounts')])
  })

  it('gives existing and new users accounts of their own', async () => {
    const insert = (email: string) =>
      db.insertInto('users').values({ name: 'A', email, password_digest: '' }).execute()
    await insert('before@example.test')
    expect((await cli('db', 'migrate')).stdout).toContain('_create_accounts')
    await insert('after@example.test')
    const users = (await db.selectFrom('users').selectAll().execute()) as { account_id?: number }[]
    expect(new Set(users.map(({ account_id }) => account_id)).size).toBe(2)
  })

  it('lets scaffold --tenant create a resource, whose migration can be rolled back', async () => {
    expect((await cli('routes', 'audit', '--write')).code).toBe(0)
    const words = 'project name owner:references:user lead:references:user? --tenant account_id'
    const made = await cli('scaffold', ...words.split(' '))
    expect([made.code, made.stderr]).toEqual([0, expect.not.stringContaining('Error')])
    expect(read('app/projects/project.ts')).toContain("tenant: 'account_id'")
    expect(JSON.parse(read('security.manifest.json'))).toMatchObject({
      dimensions: {
        settings: { identity: { tenant_of: { name: 'tenantOf' } } },
        authorization_policies: {
          resources: expect.arrayContaining([
            expect.objectContaining({ resource: 'Project', tenant: 'account_id' }),
          ]) as unknown,
        },
      },
    })
    const insert = (owner: 'min' | 'max') =>
      sql`
      insert into projects (name, account_id, owner_id)
      select 'A', min(account_id), ${sql.raw(owner)}(id) from users`.execute(db)
    await insert('min')
    await expect(insert('max')).rejects.toThrow('projects_owner_id_fkey')
    // The two users, in two accounts.
    const why = async (email: string) => (await cli('why', email, 'show', 'project', '1')).stdout
    expect(await why('before@example.test')).toContain('show of project 1 is allowed')
    expect(await why('after@example.test')).toContain('project 1 belongs to the tenant 1')
    const { url: address } = await spawnServer(join(clone, 'app/server.ts'), {
      NODE_ENV: 'test',
      DATABASE_URL: url,
      PORT: '0',
    })
    const token = 'the token of a link in a mail'
    await sql`insert into account_tokens (digest, purpose, address, expires_at)
      values (encode(sha256(${token}::bytea), 'hex'), 'sign-up', 'new@example.test', now() + interval '1 hour')`.execute(
      db,
    )
    const signUp = await fetch(`${address}/signup/confirm`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: address },
      body: new URLSearchParams({ token, name: 'A', password: 'a long enough phrase' }),
    })
    expect(signUp.status).toBe(303)
    const cookie = signUp.headers
      .getSetCookie()
      .map((text) => text.split(';', 1)[0])
      .join('; ')
    // The tenant is the account of the new user, by the generated tenantOf.
    const projects = await fetch(`${address}/projects`, { headers: { cookie } })
    expect(projects.status).toBe(200)
    expect((await cli('db', 'rollback', '2')).code).toBe(0)
  })
})
