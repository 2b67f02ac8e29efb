import { sql } from 'kysely'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { enqueue, failedJobs, job, openBoss, prepareJobs, waitingJobs, workJobs } from 'pergola/jobs'
import { testApp } from '../test/test-app.ts'

const ran: number[] = []
let isBroken = true
const note = job('note', {
  args: z.object({ n: z.int() }),
  retries: 0,
  async run({ args }) {
    if (isBroken) throw new Error('<b>broken</b>')
    ran.push(args.n)
  },
})

const app = await testApp()
const development = await testApp({ env: { NODE_ENV: 'development' }, database: app.database })
await prepareJobs(app.db, [note])
const admin = await app.newcomer({ roles: ['admin'] })
const user = await app.newcomer()

const failed = () => app.within(() => failedJobs())
const waiting = () => app.within(() => waitingJobs())

/** Stores dead letters with these arguments. Their worker continues to run. */
async function makeFailed(...numbers: number[]): Promise<string[]> {
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const boss = await openBoss(app.db, log)
  const loops = await workJobs({ boss, db: app.db, log }, [note])
  onTestFinished(async () => {
    await loops.stop(0)
    await boss.stop({ graceful: false })
  })
  const ids = await Promise.all(numbers.map((n) => app.within(() => enqueue(note, { n }))))
  await expect.poll(failed).toHaveLength(numbers.length)
  isBroken = false
  return ids.filter((id) => id !== null)
}

beforeEach(async () => {
  isBroken = true
  ran.length = 0
  await sql`delete from pgboss.job`.execute(app.db)
})

describe('/background-jobs', () => {
  it('is for admins', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect((await app.guest.send(method, '/background-jobs')).status).toBe(303)
      expect((await user.send(method, '/background-jobs')).status).toBe(403)
    }
    const { status, text } = await admin.get('/background-jobs')
    expect([status, text]).toEqual([200, expect.stringContaining('No job waits, runs or has failed.')])
    const link = '<a href="/background-jobs"'
    expect((await admin.get('/')).text).toContain(link)
    expect((await user.get('/')).text).not.toContain(link)
  })

  it('shows failed jobs with their arguments and errors', async () => {
    await makeFailed(7)
    const { text } = await admin.get('/background-jobs')
    expect(text).toContain('&lt;b&gt;broken&lt;/b&gt; (attempt 1)')
    expect(text).toContain('<code>{&quot;n&quot;:7}</code>')
  })

  it('runs one failed job again, or all with a name', async () => {
    const [id] = await makeFailed(1, 2, 3)
    const { status, headers } = await admin.post(`/background-jobs?id=${id}`, { form: {} })
    expect([status, headers.get('location')]).toEqual([303, '/background-jobs'])
    await expect.poll(() => ran).toEqual([1])
    expect((await admin.get('/background-jobs')).text).toContain('1 job will run now.')
    await admin.post('/background-jobs?name=note', { form: {} })
    await expect.poll(() => ran.toSorted((one, other) => one - other)).toEqual([1, 2, 3])
    expect(await failed()).toEqual([])
  })

  it('runs a delayed job at once', async () => {
    isBroken = false
    await makeFailed()
    const id = await app.within(() => enqueue(note, { n: 4 }, { delay: '1 hour' }))
    expect((await admin.get('/background-jobs')).text).toContain('Run now')
    expect((await admin.post(`/background-jobs?id=${id}`, { form: {} })).status).toBe(303)
    await expect.poll(() => ran, { timeout: 5_000 }).toEqual([4])
  })

  it('discards a failed job and a job that waits', async () => {
    const [id] = await makeFailed(1)
    const later = await app.within(() => enqueue(note, { n: 2 }, { delay: '1 hour' }))
    await admin.post(`/background-jobs?id=${id}`, { form: { _method: 'DELETE' } })
    await admin.post(`/background-jobs?id=${later}`, { form: { _method: 'DELETE' } })
    expect([await failed(), await waiting()]).toEqual([[], []])
    await admin.post(`/background-jobs?id=${id}`, { form: {} })
    expect((await admin.get('/background-jobs')).text).toContain('The job has run or was discarded.')
  })

  it.each(['', '?id=x', '?id=1&id=2', '?name=', '?id=%00', '?name=%00'])(
    'changes no job for %j',
    async (query) => {
      await makeFailed(1)
      for (const form of [{}, { _method: 'DELETE' }])
        expect((await admin.post(`/background-jobs${query}`, { form })).status).toBeLessThan(500)
      expect(await failed()).toHaveLength(1)
    },
  )
})

describe('/_dev/jobs', () => {
  it('is for everyone in development, and does not exist otherwise', async () => {
    const [id] = await makeFailed(1)
    expect((await development.guest.get('/_dev/jobs')).text).toContain('&lt;b&gt;broken')
    expect((await development.guest.post(`/_dev/jobs?id=${id}`, { form: {} })).status).toBe(303)
    await expect.poll(() => ran).toEqual([1])
    expect((await app.guest.get('/_dev/jobs')).status).toBe(404)
    expect((await admin.get('/_dev/jobs')).status).toBe(404)
  })
})
