import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { withDatabase } from 'pergola'
import { enqueue, failedJobs, job } from 'pergola/jobs'
import { addToList } from '../generate/list-file.ts'
import { runCli } from '../../test-support/run-cli.ts'
import { testProject } from '../../test-support/test-project.ts'
import { startWorker } from '../worker/start-worker.ts'

const { root, url, db } = await testProject()
const text = `import { z } from 'zod'
import { job } from 'pergola/jobs'

export const sendNote = job('send-note', { args: z.object({ n: z.int() }), retries: 0, run: async () => {} })
`
const list = join(root, 'app/jobs/jobs.ts')
writeFileSync(join(root, 'app/jobs/send-note.ts'), text)
writeFileSync(
  list,
  addToList(readFileSync(list, 'utf8'), 'jobs', { variable: 'sendNote', file: './send-note.ts' }) ?? '',
)

const env = { NODE_ENV: 'test', DATABASE_URL: url }
const cli = (...args: string[]) => runCli(args, { bin: join(root, 'cli/bin.js'), env })
const migrated = await cli('db', 'migrate')

let isBroken = true
const ran: number[] = []
const sendNote = job('send-note', {
  args: z.object({ n: z.int() }),
  retries: 0,
  async run({ args }) {
    if (isBroken) throw new Error('The mailbox\nis full.')
    ran.push(args.n)
  },
})
const enqueued = (n: number) => withDatabase(db, () => enqueue(sendNote, { n }))
const failed = () => withDatabase(db, () => failedJobs())

async function worker(): Promise<void> {
  const log = pino({ level: 'silent' })
  const worker = await startWorker({ db, tasks: [], jobs: [sendNote], leaseSeconds: 30, log })
  onTestFinished(async () => void (await worker.stop(1_000)))
}

beforeEach(async () => {
  isBroken = true
  ran.length = 0
  await sql`delete from pgboss.job`.execute(db)
})

describe('cli jobs', () => {
  it('counts the jobs of the list, whose queues db migrate has created', async () => {
    expect(migrated.code).toBe(0)
    await enqueued(1)
    const { code, stdout } = await cli('jobs')
    expect([code, stdout]).toEqual([
      0,
      'JOB        WAITING  DELAYED  RUNNING  FAILED\nsend-mail  0        0        0        0\nsend-note  1        0        0        0\n',
    ])
    await sql`delete from pgboss.job`.execute(db)
    expect(JSON.parse((await cli('jobs', '--json')).stdout)).toMatchObject([
      { name: 'send-mail', waiting: 0 },
      { name: 'send-note', waiting: 0 },
    ])
  })

  it('lists a failed job with its error, and runs it again', async () => {
    await worker()
    const id = await enqueued(7)
    await expect.poll(failed).toHaveLength(1)
    const { stdout } = await cli('jobs', 'failed', 'send-note')
    expect(stdout).toMatch(/^ID +JOB +FAILED +ATTEMPTS +ARGUMENTS\n/)
    expect(stdout).toContain(`${id}  send-note  20`)
    expect(stdout).toContain('1         {"n":7}    The mailbox\n')
    isBroken = false
    expect(await cli('jobs', 'retry', id ?? '')).toMatchObject({ code: 0, stdout: '1 job will run now.\n' })
    await expect.poll(() => ran).toEqual([7])
    expect((await cli('jobs', 'failed')).stdout).toBe('No job has failed.\n')
  })

  it('runs all failed jobs with a name again', async () => {
    await worker()
    for (const n of [1, 2, 3]) await enqueued(n)
    await expect.poll(failed).toHaveLength(3)
    isBroken = false
    expect((await cli('jobs', 'retry', '--all', 'send-note')).stdout).toBe('3 jobs will run now.\n')
    await expect.poll(() => ran.toSorted((one, other) => one - other)).toEqual([1, 2, 3])
    expect((await cli('jobs', 'retry', '--all', 'send-note')).stdout).toBe(
      'No job with the name send-note has failed.\n',
    )
  })

  it('lists a job that waits, and discards it', async () => {
    const id = await enqueued(7)
    expect((await cli('jobs', 'waiting')).stdout).toContain(`${id}  send-note  20`)
    expect(await cli('jobs', 'discard', id ?? '')).toMatchObject({ code: 0, stdout: '1 job discarded.\n' })
    expect((await cli('jobs', 'waiting')).stdout).toBe('No job waits.\n')
    const again = await cli('jobs', 'discard', id ?? '')
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('1 job not found: npx cli jobs failed'),
    ])
  })

  it('runs a delayed job at once', async () => {
    isBroken = false
    await worker()
    const id = await withDatabase(db, () => enqueue(sendNote, { n: 7 }, { delay: '1 day' }))
    expect(await cli('jobs', 'retry', id ?? '')).toMatchObject({ code: 0, stdout: '1 job will run now.\n' })
    await expect.poll(() => ran).toEqual([7])
  })

  it('rejects an unknown name, and a call without ids', async () => {
    const unknown = await cli('jobs', 'failed', 'send-nte')
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Unknown job: send-nte.')])
    const nothing = await cli('jobs', 'retry')
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      expect.stringContaining('Pass the ids of jobs, or --all'),
    ])
    expect((await cli('jobs', 'retry', '--all', 'send-note', 'x')).code).toBe(2)
  })
})
