import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { joinEmbedded } from './embedded.ts'
import { ensureDatabase } from '../migrations/ensure-database.ts'

// All tests share one cluster, because initdb is slow. Each test starts with a stopped server.
const parent = fs.mkdtempSync(join(tmpdir(), 'pergola-embedded-'))
const dataDir = join(parent, 'data')
const children: ChildProcess[] = []

// If root runs the tests, another user runs Postgres and must be able to enter the directory.
beforeAll(() => fs.chmodSync(parent, 0o711))
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill))
  // Stops a server that a test left running: this process joins as its only member, and leaves.
  if (fs.existsSync(clusterFile('postmaster.pid'))) (await joinEmbedded(dataDir)).leave()
})
afterAll(() => fs.rmSync(parent, { recursive: true, maxRetries: 5 }))

describe('joinEmbedded', { timeout: 60_000 }, () => {
  it('starts one server for processes that start at the same moment on an empty directory', async () => {
    fs.mkdirSync(join(dataDir, 'postgres-new-killed/data'), { recursive: true, mode: 0o711 })
    const members = await Promise.all([1, 2, 3, 4].map(() => member()))
    expect(new Set(members.map(({ url }) => url)).size).toBe(1)
    expect(fs.readdirSync(dataDir).filter((name) => name.startsWith('postgres-new-'))).toEqual([])
    expect(fs.statSync(join(dataDir, 'postgres/password')).mode & 0o777).toBe(0o600)
    expect(fs.statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700)
  })

  it('stops the server when the last member leaves, and not before', async () => {
    const first = await member()
    const second = await member()
    await end(first.process)
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await end(second.process)
    await expect(query(second.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
  })

  it('stops the server when all leave at the same moment', async () => {
    const members = await Promise.all(Array.from({ length: 6 }, () => member()))
    await Promise.all(members.map((one) => end(one.process)))
    await expect(query(members[0]!.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
  })

  it('stops the server at once by leave, which may be called again', async () => {
    const { url, leave } = await joinEmbedded(dataDir)
    expect(await query(url('postgres'), 'show fsync')).toEqual([{ fsync: 'on' }])
    leave()
    leave()
    await expect(query(url('postgres'), 'select 1')).rejects.toThrow('ECONNREFUSED')
  })

  it('matches É and é without regard to case, independent of the locale of the machine', async () => {
    const { url, leave } = await joinEmbedded(dataDir)
    expect(await query(url('postgres'), `select 'ÉGLANTINE' ilike 'é%' as found`)).toEqual([{ found: true }])
    leave()
  })

  it('does not count a killed member, and does not interrupt the others', async () => {
    const starter = await member()
    const other = await member()
    await kill(starter.process)
    expect(await query(other.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await end(other.process)
    await expect(query(other.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
  })

  it('restarts a killed server at the same address with the committed rows', async () => {
    const first = await member()
    await query(first.url, 'create table kept as select 7 as id')
    process.kill(serverPid(), 'SIGKILL')
    const second = await member()
    expect(second.url).toBe(first.url)
    expect(await query(first.url, 'select id from kept')).toEqual([{ id: 7 }])
  })

  it('restarts a killed server while a member keeps it running', async () => {
    const { url, leave, keepRunning } = await joinEmbedded(dataDir)
    const reports: string[] = []
    keepRunning((message) => reports.push(message))
    const other = await member()
    for (const times of [1, 2]) {
      const pid = serverPid()
      process.kill(pid, 'SIGKILL')
      await expect.poll(() => reports, { timeout: 30_000 }).toHaveLength(times)
      expect(await query(other.url, 'select 1 as one')).toEqual([{ one: 1 }])
      expect(serverPid()).not.toBe(pid)
    }
    expect(reports[0]).toBe('The development Postgres had ended and was restarted.')
    await end(other.process)
    leave()
    await expect(query(url('postgres'), 'select 1')).rejects.toThrow('ECONNREFUSED')
  })

  it('restarts after all members were killed, even if the server’s pid was reused', async () => {
    const first = await member()
    await query(first.url, 'create table kept_by_none as select 7 as id')
    process.kill(serverPid(), 'SIGKILL')
    await kill(first.process)
    const { uid, gid } = fs.statSync(clusterFile('postmaster.pid'))
    const heir = spawn('sleep', ['20'], { uid, gid, cwd: '/' })
    children.push(heir)
    const before = fs.readFileSync(clusterFile('postmaster.pid'), 'utf8')
    fs.writeFileSync(clusterFile('postmaster.pid'), before.replace(/^\d+/, String(heir.pid)))
    const second = await member()
    expect(await query(second.url, 'select id from kept_by_none')).toEqual([{ id: 7 }])
  })

  it('uses a server whose members were all killed', async () => {
    const first = await member()
    const pid = serverPid()
    await kill(first.process)
    const second = await member()
    expect(serverPid()).toBe(pid)
    await end(second.process)
    await expect(query(second.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
  })

  it('never returns a server that is about to stop', async () => {
    const visits = `for (let visit = 0; visit < 3; visit++) {
      const { url, leave } = await joinEmbedded(dataDir)
      const client = new Client({ connectionString: url('postgres') })
      await client.connect()
      await client.query('select pg_sleep(0.005)')
      await client.end()
      leave()
    }`
    const codes = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const [code] = await once(run(visits), 'exit')
        return code as number | null
      }),
    )
    expect(codes).toEqual(Array.from({ length: 10 }, () => 0))
    expect(fs.existsSync(clusterFile('postmaster.pid'))).toBe(false)
  })

  it('starts separate servers for two directories', async () => {
    const one = await joinEmbedded(dataDir)
    const two = await joinEmbedded(join(parent, 'other'))
    await query(one.url('postgres'), 'create table only_in_one as select 7 as id')
    await expect(query(two.url('postgres'), 'select id from only_in_one')).rejects.toThrow('does not exist')
    one.leave()
    expect(await query(two.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }])
    two.leave()
  })

  it('does not mix a new cluster with one that was moved away while its server ran', async () => {
    const moved = join(parent, 'moved')
    const old = await joinEmbedded(dataDir)
    fs.renameSync(dataDir, moved)
    const current = await joinEmbedded(dataDir)
    old.leave()
    expect(await query(current.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }])
    ;(await joinEmbedded(moved)).leave()
    await expect(query(old.url('postgres'), 'select 1')).rejects.toThrow('ECONNREFUSED')
    current.leave()
    const again = await joinEmbedded(dataDir)
    expect(await query(again.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }])
    again.leave()
  })

  it('throws for the data of another major version and for a wrong password, and changes nothing', async () => {
    ;(await joinEmbedded(dataDir)).leave()
    const version = clusterFile('PG_VERSION')
    const password = join(dataDir, 'postgres/password')
    const whileChanged = async (file: string, content: string) => {
      const original = fs.readFileSync(file)
      fs.writeFileSync(file, content)
      const error: unknown = await joinEmbedded(dataDir).catch((error: unknown) => error)
      fs.writeFileSync(file, original)
      return String(error)
    }
    expect(await whileChanged(version, '12\n')).toMatch(
      /^Error: Postgres 12 created the database in .*, but \d+ is installed\. Set DATABASE_URL, or move/,
    )
    expect(await whileChanged(password, '')).toMatch(/The password file in .* is missing or wrong\. Restore/)
    expect(await whileChanged(password, 'guess\n')).toMatch(
      /The password file in .* is missing or wrong\. Restore/,
    )
    const { url, leave } = await joinEmbedded(dataDir)
    expect(await query(url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }])
    leave()
  })
})

describe('ensureDatabase', { timeout: 60_000 }, () => {
  it('creates the database once under concurrent calls, and keeps an existing one', async () => {
    const { url, leave } = await joinEmbedded(dataDir)
    const name = 'Odd "name"'
    await Promise.all([1, 2, 3, 4].map(() => ensureDatabase(url('postgres'), name)))
    await query(url(name), 'create table kept as select 7 as id')
    await ensureDatabase(url('postgres'), name)
    expect(await query(url(name), 'select id from kept')).toEqual([{ id: 7 }])
    leave()
  })

  it('throws the errors of the server', async () => {
    const { url, leave } = await joinEmbedded(dataDir)
    await expect(ensureDatabase(url('absent'), 'other')).rejects.toThrow('"absent" does not exist')
    leave()
  })
})

/** Starts a separate process that joins, prints its URL, and exits when its input ends. */
async function member(): Promise<{ process: ChildProcess; url: string }> {
  const child = run(`
    const { url } = await joinEmbedded(dataDir)
    process.stdout.write(url('postgres'))
    process.stdin.resume().on('end', () => process.exit())`)
  const [output] = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])
  expect(String(output), 'the output of the process').toMatch(/^postgres:/)
  return { process: child, url: String(output) }
}

function run(code: string): ChildProcess {
  const module = JSON.stringify(new URL('embedded.ts', import.meta.url).href)
  const imports = `import { joinEmbedded } from ${module}; import { Client } from 'pg';`
  const head = `${imports} const { dataDir } = process.env;`
  const env = { ...process.env, dataDir }
  const options = {
    env,
    cwd: import.meta.dirname,
    stdio: ['pipe', 'pipe', 'inherit'] as ('pipe' | 'inherit')[],
  }
  const child = spawn(process.execPath, ['--input-type=module', '-e', head + code], options)
  children.push(child)
  return child
}

async function end(child: ChildProcess): Promise<void> {
  child.stdin!.end()
  await once(child, 'exit')
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function clusterFile(name: string): string {
  const cluster = join(dataDir, 'postgres')
  const data = fs.existsSync(cluster) ? fs.readdirSync(cluster).find((name) => name.startsWith('data-')) : ''
  return join(cluster, data ?? '', name)
}

function serverPid(): number {
  return Number.parseInt(fs.readFileSync(clusterFile('postmaster.pid'), 'utf8'), 10)
}
