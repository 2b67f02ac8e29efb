import { databaseServer } from 'pergola/database'
import { readConfig } from '#app/config.ts'
import {
  type AnyTask,
  type EndedRun,
  NothingToResume,
  runTask,
  starter,
  TaskLocked,
  type TaskOutput,
  userName,
} from 'pergola/tasks'
import { Exit, EXIT } from '../../exit.ts'
import { openedFor } from '../../in-database.ts'
import { oneDatabase, type ShardOption } from '../../shards.ts'
import type { TaskFlags } from './parse-flags.ts'
import { onInterrupt } from './interrupts.ts'
import { missingTables } from './in-tables.ts'
import { ProgressLine } from './progress-line.ts'
import { limitYoungGeneration } from './limit-young-generation.ts'

/** Runs a task with progress on the terminal. Throws if it fails or is interrupted. */
export async function runInTerminal(task: AnyTask, flags: TaskFlags, options: ShardOption): Promise<void> {
  limitYoungGeneration()
  const line = new ProgressLine(process.stderr)
  const interrupts = onInterrupt(() =>
    line.around(() => console.error('Stopping after this batch. Press Ctrl-C again to exit immediately.')),
  )
  try {
    const ended = await inDatabase(options, (db, leaseSeconds) =>
      runTask(db, task, {
        ...flags,
        starter: starter(userName()),
        leaseSeconds,
        signal: interrupts.signal,
        output: outputOf(line),
      }),
    ).catch((error: unknown) => {
      throw asExit(error)
    })
    line.clear()
    reportEnd(task, ended, flags)
  } finally {
    line.clear()
    interrupts.dispose()
  }
}

type Work<Result> = (db: Parameters<typeof runTask>[0], leaseSeconds: number) => Promise<Result>

async function inDatabase<Result>(options: ShardOption, work: Work<Result>): Promise<Result> {
  const config = oneDatabase(readConfig(), options)
  const { url, leave } = await databaseServer(config)
  try {
    return await openedFor(url, config, (db) => work(db, config.tasks.lease_seconds))
  } finally {
    leave()
  }
}

// Only results go to stdout, so that they can be piped.
const outputOf = (line: ProgressLine): TaskOutput => ({
  say: (text) => line.around(() => console.log(text)),
  warn: (text) => line.around(() => console.error(text)),
  progress: (progress) => line.show(progress),
})

function asExit(error: unknown): unknown {
  if (error instanceof TaskLocked) return new Exit(EXIT.locked, error.message)
  if (error instanceof NothingToResume) return new Exit(EXIT.failed, error.message)
  return missingTables(error)
}

function reportEnd({ name }: AnyTask, { outcome, position, error }: EndedRun, { dryRun }: TaskFlags): void {
  if (outcome === 'done') return
  const message = dryRun
    ? 'Dry run: nothing was written.'
    : position === null
      ? `Stopped before the first checkpoint. --resume starts from the beginning with the same arguments: npx cli task ${name} --resume`
      : `Stopped at ${position}\nContinue with: npx cli task ${name} --resume`
  if (outcome === 'interrupted') throw new Exit(EXIT.interrupted, message)
  if (position !== null) console.error(message)
  throw error
}
