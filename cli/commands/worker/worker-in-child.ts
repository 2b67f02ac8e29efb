import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { database, inTransaction } from 'pergola'
import { connect } from 'pergola/database'
import { task } from 'pergola/tasks'
import { pino } from 'pino'
import { z } from 'zod'
import { startWorker } from './start-worker.ts'

/** Returns a database with the table of this test, which the types of the application don't contain. */
const ticks = () => database() as unknown as Kysely<{ ticks: { n: number; pid: number } }>

/** Writes 200 ticks, 20 milliseconds apart, each with a checkpoint. */
const tick = task('tick', {
  description: 'Writes ticks.',
  args: z.object({}),
  schedule: '* * * * *',
  async run({ signal, position, checkpoint }) {
    for (let n = Number(position ?? 0) + 1; n <= 200; n++) {
      signal.throwIfAborted()
      await inTransaction(async () => {
        await ticks().insertInto('ticks').values({ n, pid: process.pid }).execute()
        await checkpoint(String(n))
      })
      await sleep(20)
    }
  },
})

/** Starts a worker for a task that is due every minute, in a process that a test can kill. */
const [url = ''] = process.argv.slice(2)
const db = connect({
  url,
  poolSize: 5,
  maxWaiting: 10,
  connectTimeout: 5_000,
  statementTimeout: 30_000,
  lockTimeout: 30_000,
  onConnectionError: () => {},
})
const worker = await startWorker({ db, tasks: [tick], jobs: [], leaseSeconds: 30, log: pino() })
process.once('SIGTERM', () => {
  void worker.stop(10_000).then(() => db.destroy())
})
