import { pino } from 'pino'
import { connectTicking, tick } from '#app/test/ticking.ts'
import { startWorker } from './start-worker.ts'

/** A worker for a task that is due every minute, in a process that a test can kill. */
const [url = ''] = process.argv.slice(2)
const db = connectTicking(url)
const worker = await startWorker({ url, db, tasks: [tick], leaseSeconds: 30, log: pino() })
process.once('SIGTERM', () => {
  void worker.stop(10_000).then(() => db.destroy())
})
