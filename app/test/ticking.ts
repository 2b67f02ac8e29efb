import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { connect, database, inTransaction, runTask, starter, task } from 'pergola'

declare module 'pergola' {
  interface Tables {
    ticks: { n: number; pid: number }
  }
}

/** Writes a tick a moment, each with a checkpoint, in a process of its own that a test can kill or freeze. */
export const tick = task('tick', {
  description: 'Writes ticks.',
  args: z.object({ ticks: z.int().default(200), pause: z.int().default(20) }),
  schedule: '* * * * *',
  async run({ args, signal, position, checkpoint, say }) {
    for (let n = Number(position ?? 0) + 1; n <= args.ticks; n++) {
      signal.throwIfAborted()
      await inTransaction(async () => {
        await database().insertInto('ticks').values({ n, pid: process.pid }).execute()
        await checkpoint(String(n))
      })
      say(`tick ${n}`)
      await sleep(args.pause)
    }
  },
})

export const connectTicking = (url: string) =>
  connect({
    url,
    poolSize: 5,
    maxWaiting: 10,
    connectTimeout: 5_000,
    statementTimeout: 30_000,
    lockTimeout: 30_000,
    onConnectionError: () => {},
  })

if (process.argv[1] === import.meta.filename) await runInChild()

async function runInChild(): Promise<void> {
  const [url = '', leaseSeconds = '30', options = '{}'] = process.argv.slice(2)
  const db = connectTicking(url)
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort(new Error('Told to stop.')))
  const given = { args: {}, dryRun: false, resume: false, ...(JSON.parse(options) as object) }
  try {
    const ended = await runTask(db, tick, {
      ...given,
      starter: starter('a test'),
      leaseSeconds: Number(leaseSeconds),
      signal: stop.signal,
      output: { say, warn: say, progress: () => {} },
    })
    say(JSON.stringify({ outcome: ended.outcome, position: ended.position }))
  } catch (error) {
    say(JSON.stringify({ outcome: (error as Error).constructor.name }))
  }
  await db.destroy()
}
