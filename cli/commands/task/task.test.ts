import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { taskProject, writeManyLines } from '../../test-support/task-project.ts'

const { root, url, db } = await taskProject()
const folder = mkdtempSync(join(tmpdir(), 'task-'))
afterAll(() => rmSync(folder, { recursive: true }))
const main = join(root, 'cli/main.ts')

interface Running {
  child: ChildProcess
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

function start(args: string[], { cwd = '.', env = {}, node = [] as string[] } = {}): Running {
  const settings = { PATH: process.env['PATH'], NODE_ENV: 'test', DATABASE_URL: url, ...env }
  const child = spawn(process.execPath, [...node, main, 'task', ...args], { cwd, env: settings })
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => (output[stream] += text))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }))
  return { child, ended }
}
const task = (...args: string[]) => start(args).ended

beforeEach(async () => {
  await sql`delete from task_runs`.execute(db)
  await sql`delete from lines`.execute(db)
})

const NOWHERE = { env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' } }

describe('cli task', () => {
  it('lists the tasks with their last runs, as text and as JSON', async () => {
    await task('prune-sessions')
    const { code, stdout } = await task()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^prune-sessions +30 3 \* \* \* +done \d{4}-.* Deletes ended sessions/m)
    expect(stdout).toMatch(/^recount-lines /m)
    const listed = JSON.parse((await task('--json')).stdout) as { name: string; last_run: unknown }[]
    expect(listed.find(({ name }) => name === 'prune-sessions')?.last_run).toMatchObject({ outcome: 'done' })
  })

  it('stops after the current batch if its output is closed, and can be resumed', async () => {
    const file = join(folder, 'unread.csv')
    writeFileSync(file, `title,body\nbad\n${'A title,A body\n'.repeat(20_000)}`)
    const { child, ended } = start(['import-lines', '--file', file])
    child.stderr?.destroy()
    expect((await ended).code).toBe(130)
    const runs = sql<{ outcome: string }>`select outcome from task_runs`
    expect((await runs.execute(db)).rows).toEqual([{ outcome: 'interrupted' }])
    expect((await task('import-lines', '--resume')).code).toBe(0)
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from lines`.execute(db)
    expect(rows).toEqual([{ count: 20_000 }])
  })

  it('lists the tasks without a database, and reports that their runs are not available', async () => {
    const { code, stdout, stderr } = await start([], NOWHERE).ended
    expect([code, stderr]).toEqual([0, expect.stringContaining('The last runs are not available')])
    expect(stdout).toContain('recount-lines')
  })

  it('prints the history of one task or of all', async () => {
    await task('prune-sessions', '--dry-run')
    await task('recount-lines', '--since', '2026-01-01')
    const all = (await task('--history')).stdout
    expect(all).toMatch(/prune-sessions --dry-run +done/)
    expect(all).toContain('since="2026-01-01"')
    const one = JSON.parse((await task('--history', 'recount-lines', '--json')).stdout) as object[]
    expect(one).toMatchObject([{ task: 'recount-lines', args: { since: '2026-01-01' }, outcome: 'done' }])
  })
})

describe('cli task <name>', () => {
  it('derives its flags from the schema, without a database', async () => {
    const { code, stdout } = await start(['import-lines', '--help'], NOWHERE).ended
    expect(code).toBe(0)
    expect(stdout).toContain('Usage: npx cli task import-lines --file <file> [options]')
    expect(stdout).toMatch(/--file <file> +the file, of any size \(required\)/)
    expect(stdout).toContain('--dry-run')
  })

  it.each([
    [['recont-lines'], 'Unknown task: recont-lines. Did you mean recount-lines?'],
    [['recount-lines', 'now'], 'too many arguments'],
    [['recount-lines', '--sinc', '2026-01-01'], 'Did you mean --since?'],
    [['recount-lines', '--since', 'monday'], '--since: Invalid ISO date.'],
    [['import-lines'], '--file is missing.'],
    [['grant-role', '--dry-run', '--email', 'a', '--role', 'admin'], "unknown option '--dry-run'"],
    [['import-lines', '--resume', '--file', 'x'], 'Omit --file'],
    [['import-lines', '--file', ''], '--file: Too small'],
    [['--json', 'prune-sessions'], '--json applies to the list'],
    [['--history', 'recount-lines', 'prune-sessions'], '--history applies to the list'],
    [['--history', 'nothing'], 'Unknown task: nothing.'],
  ])('rejects %j before it opens the database', async (args, message) => {
    const { code, stdout, stderr } = await start(args, NOWHERE).ended
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(stdout === '' || stdout.includes('"error": ')).toBe(true)
    expect(stdout === '').toBe(!args.includes('--json'))
  })

  it('recommends to migrate if tables are missing', async () => {
    const postgres = new URL(url)
    postgres.pathname = '/postgres'
    const { code, stderr } = await start(['prune-sessions'], { env: { DATABASE_URL: postgres.href } }).ended
    expect([code, stderr]).toEqual([1, expect.stringContaining('npx cli db migrate')])
  })

  it('resolves a path from the caller’s folder, and prints the cause of a failure', async () => {
    const lines = await writeManyLines(join(folder, 'few.csv'), 0.002)
    const { code, stdout } = await start(['import-lines', '--file', 'few.csv'], { cwd: folder }).ended
    expect([code, stdout]).toEqual([0, `Imported ${lines} lines; refused 0.\n`])
    const failed = await task('import-lines', '--file', 'missing.csv')
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('missing.csv')])
  })
})

describe('cli task import-lines', () => {
  const file = join(folder, 'many.csv')
  const stored = async () => {
    const { rows } = await sql<{ all: number; different: number }>`
      select count(*)::int as all, count(distinct title)::int as different from lines`.execute(db)
    return rows[0] ?? { all: 0, different: 0 }
  }
  const isUnderWay = () => expect.poll(async () => (await stored()).all, { interval: 10 }).toBeGreaterThan(0)

  it('stores each line once after a kill and an interrupt, and rejects a second process', async () => {
    const lines = await writeManyLines(file, 40)
    const killed = start(['import-lines', '--file', file])
    await isUnderWay()
    // So that it has not ended when the second process starts, however busy the machine is.
    killed.child.kill('SIGSTOP')
    const second = await task('import-lines', '--file', file)
    expect([second.code, second.stderr]).toEqual([
      5,
      expect.stringMatching(/is already running \(run \d+, started by .* since 20/),
    ])
    killed.child.kill('SIGKILL')
    await killed.ended
    const atKill = (await stored()).all
    const stopped = start(['import-lines', '--resume'])
    await expect.poll(async () => (await stored()).all, { interval: 10 }).toBeGreaterThan(atKill)
    stopped.child.kill('SIGINT')
    const { code, stderr } = await stopped.ended
    expect([code, stderr]).toEqual([
      130,
      expect.stringContaining('Continue with: npx cli task import-lines --resume'),
    ])
    expect((await stored()).all).toBeLessThan(lines)
    const { stdout } = await task('import-lines', '--resume')
    expect(stdout).toBe(`Imported ${lines} lines; refused 0.\n`)
    expect(await stored()).toEqual({ all: lines, different: lines })
  })

  it('needs the memory of one batch for a file of any size', async () => {
    const tell = `data:text/javascript,process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS/1024))`
    const peakOf = async (megabytes: number) => {
      await writeManyLines(file, megabytes)
      const args = ['import-lines', '--file', file, '--dry-run']
      const { stderr } = await start(args, { node: ['--import', tell] }).ended
      return Number(/^peak (.*)$/m.exec(stderr)?.[1])
    }
    const idle = await peakOf(0)
    expect(idle).toBeGreaterThan(0)
    expect((await peakOf(40)) - idle).toBeLessThan(150)
  })
})
