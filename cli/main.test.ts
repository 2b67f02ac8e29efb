import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { createDatabase, databaseUrl, dropDatabases } from 'pergola/lab'

const { adminUrl, prefix } = inject('databases')
const name = `${prefix}cli`
await createDatabase(adminUrl, name)
afterAll(() => dropDatabases(adminUrl, name))

interface Ended {
  code: number
  stdout: string
  stderr: string
}

const main = join(import.meta.dirname, 'main.ts')

async function cli(args: string[], env: Record<string, string> = {}, cwd = '.'): Promise<Ended> {
  const settings = {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl(adminUrl, name),
    ...env,
  }
  const ended = promisify(execFile)(process.execPath, [main, ...args], { env: settings, cwd })
  return ended.then(
    (output) => ({ code: 0, ...output }),
    (error: Ended) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
  )
}

describe('cli db', () => {
  it('migrates an empty database once, even if two processes do it concurrently', async () => {
    const [one, two] = await Promise.all([cli(['db', 'migrate']), cli(['db', 'migrate'])])
    expect([one.code, two.code]).toEqual([0, 0])
    expect(
      [one.stdout, two.stdout].filter((text) => text.startsWith('Migrated 20260101000000_create_users')),
    ).toHaveLength(1)
    expect((await cli(['db', 'migrate'])).stdout).toBe('Nothing to migrate.\n')
  })

  it('seeds only an empty database', async () => {
    expect((await cli(['db', 'seed'])).stdout).toMatch(/^Seeded users/)
    expect((await cli(['db', 'seed'])).stdout).toBe('Nothing to seed: every table has rows.\n')
  })

  it('refuses to seed if accounts.demo is false', async () => {
    const { code, stderr } = await cli(['db', 'seed'], { ACCOUNTS__DEMO: 'false' })
    expect([code, stderr]).toEqual([
      1,
      'accounts.demo is false, but the seed would create the demo accounts.\n',
    ])
  })

  it('prints one line if the database does not exist', async () => {
    const { code, stderr } = await cli(['db', 'migrate'], {
      DATABASE_URL: databaseUrl(adminUrl, 'no_such_database'),
    })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/"no_such_database" does not exist\..* npx cli db prepare/),
    ])
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

describe('cli task grant-role', () => {
  const url = databaseUrl(adminUrl, name)
  const grant = (email: string, role = 'admin') =>
    cli(['task', 'grant-role', '--email', email, '--role', role])
  const sql = async (text: string) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    const result = await client.query<{ roles: string[] }>(text)
    await client.end()
    return result
  }
  const rolesOf = async (email: string) =>
    (await sql(`select roles from users where email = '${email}'`)).rows[0]?.roles

  it('grants the role to the user with this address, in any case', async () => {
    expect(await grant('Alice@Example.TEST')).toMatchObject({
      code: 0,
      stdout: 'Alice now has the role admin.\n',
      stderr: expect.stringMatching(
        /^role-granted: target_id \d+, system grant-role, detail admin\n$/,
      ) as unknown,
    })
    expect(await rolesOf('alice@example.test')).toEqual(['admin'])
  })

  it('reports that the user already has the role', async () => {
    const { code, stdout } = await grant('admin@example.test')
    expect([code, stdout]).toEqual([0, 'Admin already has the role admin.\n'])
    expect(await rolesOf('admin@example.test')).toEqual(['admin'])
  })

  it('keeps existing roles', async () => {
    await sql(`update users set roles = '{editor}' where email = 'alice@example.test'`)
    await grant('alice@example.test')
    expect(await rolesOf('alice@example.test')).toEqual(['editor', 'admin'])
  })

  it('grants the role to a disabled user, and reports that the user is disabled', async () => {
    await sql(`update users set disabled_at = now() where email = 'bob@example.test'`)
    const { code, stdout } = await grant('bob@example.test')
    expect([code, stdout]).toEqual([0, expect.stringContaining('Bob is disabled and cannot')])
    expect(await rolesOf('bob@example.test')).toEqual(['admin'])
  })

  it('rejects an unknown address', async () => {
    const { code, stderr } = await grant('nobody@example.test')
    expect([code, stderr]).toEqual([
      1,
      'No user has this email address. Sign up first, then grant the role.\n',
    ])
  })

  it('lists the roles for an unknown role', async () => {
    const { code, stderr } = await grant('alice@example.test', 'Admin')
    expect(code).toBe(2)
    expect(stderr).toContain("option '--role <text>' argument 'Admin' is invalid. Allowed choices are admin.")
  })
})

describe('cli', () => {
  it('works in the root of the project from any of its folders', async () => {
    // This file is not a folder, so the error message contains its path.
    const { stderr } = await cli(
      ['db', 'migrate'],
      { DATABASE_URL: '', DATA_DIR: 'package.json/x' },
      'app/users',
    )
    expect(stderr).toContain('package.json/x')
    expect(stderr).toContain('ENOTDIR')
  })

  it.each([
    '.',
    'app/users',
    'app/framework',
    'app/framework/src',
    'cli/scaffold/templates',
    'node_modules/pergola',
  ])('is run by npx in %s, without access to the registry', async (folder) => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      NODE_ENV: 'test',
      npm_config_offline: 'true',
      npm_config_registry: 'http://127.0.0.1:1',
    }
    const words = ['--no', '--', 'cli', 'routes', 'audit', '--diff', 'missing.json']
    const cwd = join(import.meta.dirname, '..', folder)
    const { stderr } = await promisify(execFile)('npx', words, { env, cwd }).catch((error: Ended) => error)
    expect(stderr).toContain(`${join(realpathSync(cwd), 'missing.json')}: ENOENT`)
  })

  it('suggests a command for an unknown one', async () => {
    const { code, stderr } = await cli(['db', 'migrat'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('Did you mean migrate?')
  })
})
