import { readConfig } from '#app/config.ts'
import { databaseServer } from '#app/db/open.ts'
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
import { Exit, EXIT } from '../exit.ts'
import { openedFor } from '../in-database.ts'
import type { Given } from './command-of.ts'
import { onInterrupt } from './interrupts.ts'
import { missingTables } from './missing-tables.ts'
import { ProgressLine } from './progress-line.ts'
import { keepNurserySmall } from './small-nursery.ts'

/** Runs a task for somebody who waits for it. Throws what ends the command when it isn't done. */
export async function runInTerminal(task: AnyTask, given: Given): Promise<void> {
  keepNurserySmall()
  const line = new ProgressLine(process.stderr)
  const interrupts = onInterrupt(() =>
    line.around(() => console.error('Stopping after this batch. Once more ends it at once.')),
  )
  try {
    const ended = await inDatabase((db, leaseSeconds) =>
      runTask(db, task, {
        ...given,
        starter: starter(userName()),
        leaseSeconds,
        signal: interrupts.signal,
        output: outputOf(line),
      }),
    ).catch((error: unknown) => {
      throw inWords(error)
    })
    line.clear()
    tellEnd(task, ended, given)
  } finally {
    line.clear()
    interrupts.over()
  }
}

type Work<Result> = (db: Parameters<typeof runTask>[0], leaseSeconds: number) => Promise<Result>

async function inDatabase<Result>(work: Work<Result>): Promise<Result> {
  const config = readConfig()
  const { url, leave } = await databaseServer(config)
  try {
    return await openedFor(url, config, (db) => work(db, config.tasks.lease_seconds))
  } finally {
    leave()
  }
}

// Results alone go to stdout, so that they can be piped.
const outputOf = (line: ProgressLine): TaskOutput => ({
  say: (text) => line.around(() => console.log(text)),
  warn: (text) => line.around(() => console.error(text)),
  progress: (progress) => line.show(progress),
})

function inWords(error: unknown): unknown {
  if (error instanceof TaskLocked) return new Exit(EXIT.locked, error.message)
  if (error instanceof NothingToResume) return new Exit(EXIT.failed, error.message)
  return missingTables(error)
}

function tellEnd({ name }: AnyTask, { outcome, position, error }: EndedRun, { dryRun }: Given): void {
  if (outcome === 'done') return
  const goOn = dryRun
    ? 'It was a dry run: nothing was written.'
    : position === null
      ? `It had not come to a place to go on from: start it again with npx cli task ${name} --resume`
      : `It stopped at ${position}\nGo on with: npx cli task ${name} --resume`
  if (outcome === 'interrupted') throw new Exit(EXIT.interrupted, goOn)
  if (position !== null) console.error(goOn)
  throw error
}
