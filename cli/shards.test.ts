import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { connectForTests, createDatabase, databaseUrl, dropDatabases, freePort } from 'pergola/lab'
import { runCli } from './test-support/run-cli.ts'

const { adminUrl, prefix } = inject('databases')
const names = ['eu', 'us'] as const
const urlOf = (name: string) => databaseUrl(adminUrl, `${prefix}shards_${name}`)
const shards = names.map((name) => ({ name, url: urlOf(name) }))
afterAll(() => dropDatabases(adminUrl, `${prefix}shards_`))

const env = { DATABASE__SHARDS: JSON.stringify(shards), ACCOUNTS__DEMO: 'true' }
const cli = (line: string, own: Record<string, string> = {}, input?: string) =>
  runCli(line.split(' '), { env: { ...env, ...own }, ...(input !== undefined && { input }) })

/** The second shard is down. */
const withDown = async (url = urlOf('eu')) => ({
  DATABASE__SHARDS: JSON.stringify([
    { name: 'eu', url },
    { name: 'us', url: `postgres://nobody@127.0.0.1:${await freePort()}/nothing` },
  ]),
})

function open(name: string) {
  const db = connectForTests(urlOf(name), {
    poolSize: 2,
    connectTimeout: 5_000,
    statementTimeout: 30_000,
    lockTimeout: 30_000,
  })
  onTestFinished(() => db.destroy())
  return db
}

let prepared: Awaited<ReturnType<typeof cli>>
beforeAll(async () => {
  prepared = await cli('db prepare --json')
})

describe('cli jobs with shards', () => {
  it('needs the shard, whose jobs it counts', async () => {
    expect(await cli('jobs')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Add --shard.') as string,
    })
    for (const line of ['jobs --shard us', 'jobs failed --shard us', 'jobs waiting --shard eu'])
      expect(await cli(line)).toMatchObject({ code: 0, stderr: '' })
    expect((await cli('jobs --shard asia')).stderr).toContain('No shard is named asia. Shards: eu, us.')
    const ended = await cli('jobs retry --shard us --all send-mail')
    expect(ended.stdout).toBe('No job with the name send-mail has failed.\n')
  })
})

describe('cli db with shards', () => {
  it('migrates the others while one is down, and fails', async () => {
    await createDatabase(adminUrl, `${prefix}shards_fresh`)
    const { code, stdout, stderr } = await cli('db migrate', await withDown(urlOf('fresh')))
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^eu: Migrated /)])
    expect(stderr).toMatch(/^us: Could not connect/)
  })

  it('creates, migrates and seeds each shard', async () => {
    const shard = {
      created: true,
      migrated: expect.arrayContaining([expect.any(String)]) as unknown,
      seeded: expect.arrayContaining(['users']) as unknown,
    }
    expect(prepared.code).toBe(0)
    expect(JSON.parse(prepared.stdout)).toMatchObject({ eu: shard, us: shard })
    const status = await cli('db status')
    expect(status.stdout).toMatch(/^eu:\nSTATE.*^us:\nSTATE/ms)
    expect(status.stdout).not.toContain('pending')
  })

  it('prepares one shard', async () => {
    expect(await cli('db prepare --shard us')).toMatchObject({
      code: 0,
      stdout: 'us:\nNothing to migrate.\nNothing to seed: every table has rows.\n',
    })
  })

  it.each([
    'db rollback',
    'db reset',
    'db types',
    'task prune-sessions',
    'task',
    'console',
    'why guest show User 1',
  ])('asks which shard: %s', async (line) => {
    expect(await cli(line)).toMatchObject({
      code: 2,
      stderr: 'This command is about one shard. Add --shard. Shards: eu, us.\n',
    })
  })

  it('refuses an unknown shard, and any without shards', async () => {
    for (const line of ['db migrate --shard asia', 'task --shard asia prune-sessions', 'task --shard asia'])
      expect(await cli(line)).toMatchObject({ code: 2, stderr: 'No shard is named asia. Shards: eu, us.\n' })
    expect(
      await runCli(['db', 'migrate', '--shard', 'eu'], { env: { DATABASE_URL: urlOf('eu') } }),
    ).toMatchObject({ code: 2, stderr: 'No shards are configured. Leave out --shard.\n' })
  })
})

describe('commands about one shard', () => {
  it('run a task there, with its lease and its history', async () => {
    expect(await cli('task --shard us prune-sessions')).toMatchObject({ code: 0 })
    const runs = async (name: string) =>
      JSON.parse((await cli(`task --shard ${name} --history --json`)).stdout) as { task: string }[]
    expect(await runs('us')).toMatchObject([{ task: 'prune-sessions', outcome: 'done' }])
    expect(await runs('eu')).toEqual([])
  })

  it('open a console that reads the others with fromShard', async () => {
    await sql`delete from posts`.execute(open('us'))
    const script = `console.log(await posts.asSystem('test').count() > 0,
      await fromShard('us', () => posts.asSystem('test').count()),
      await posts.asSystem('test').acrossTenants().count() > 0, shardNames().join())`
    expect(await cli('console --shard eu', {}, script)).toMatchObject({
      code: 0,
      stdout: 'true 0 true eu,us\n',
    })
  })

  it('name the shard that is down, also if it is another one', async () => {
    const script = `await posts.asSystem('test').acrossTenants().count()`
    expect(await cli('console --shard eu', await withDown(), script)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('correct the url of the shard us in DATABASE__SHARDS') as string,
    })
  })

  it('take the shard behind the name of a task, too', async () => {
    for (const line of ['task prune-sessions --shard=us --dry-run', 'task prune-sessions --shard us'])
      expect(await cli(line)).toMatchObject({ code: 0 })
    expect(await cli('task prune-sessions --shard asia')).toMatchObject({
      code: 2,
      stderr: 'No shard is named asia. Shards: eu, us.\n',
    })
  })
})

describe('cli doctor with shards', () => {
  it('names the shard of each finding', async () => {
    const { stdout } = await cli('doctor --json', await withDown())
    const { findings } = JSON.parse(stdout) as { findings: { id: string; state: string }[] }
    expect(findings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'eu/migrations', state: 'ok' }),
        expect.objectContaining({ id: 'us/database', state: 'wrong' }),
      ]),
    )
    expect(findings.map(({ id }) => id)).not.toContain('database')
  })
})

describe('cli worker with shards', () => {
  it('schedules the tasks of the others while one is down, and stops', async () => {
    const down = await withDown()
    const worker = spawn(process.execPath, [join(import.meta.dirname, 'bin.js'), 'worker'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], NODE_ENV: 'test', SERVER__LOG_LEVEL: 'info', ...env, ...down },
    })
    onTestFinished(() => void worker.kill('SIGKILL'))
    let output = ''
    worker.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const lines = () =>
      output.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]))
    await expect
      .poll(lines, { timeout: 30_000 })
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({ shard: 'eu', msg: 'the worker is waiting for tasks and jobs' }),
          expect.objectContaining({ shard: 'us', msg: 'the tasks of the shard can’t run: trying again' }),
        ]),
      )
    const schedules = await sql<{ name: string }>`select name from pgboss.schedule`.execute(open('eu'))
    expect(schedules.rows.map(({ name }) => name)).toContain('prune-sessions')
    worker.kill('SIGTERM')
    expect(await once(worker, 'exit')).toEqual([0, null])
  })
})
