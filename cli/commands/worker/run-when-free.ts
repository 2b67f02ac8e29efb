import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import {
  type AnyTask,
  type EndedRun,
  NothingToResume,
  type RunOptions,
  runTask,
  TaskLocked,
} from 'pergola/tasks'
import type { Tables } from 'pergola'

const PAUSE = 1_000

/**
 * Runs a task that is due. Returns null if another process is running it. A retry, after a worker died, resumes the run
 * at its last checkpoint, and waits without limit until no process holds the task.
 */
export async function runWhenFree(
  db: Kysely<Tables>,
  task: AnyTask,
  options: Omit<RunOptions, 'resume'> & { isRetry: boolean },
): Promise<EndedRun | null> {
  let expiry: string | null = null
  for (;;) {
    try {
      return await runOrResume(db, task, options)
    } catch (error) {
      if (!(error instanceof TaskLocked)) throw error
      const { expires_at } = error.holder
      // A renewed lease belongs to a running process. An abandoned lease expires.
      if (!options.isRetry && expiry !== null && expires_at !== expiry) return null
      expiry = expires_at
    }
    await sleep(PAUSE, undefined, { signal: options.signal })
  }
}

async function runOrResume(
  db: Kysely<Tables>,
  task: AnyTask,
  { isRetry, ...options }: Omit<RunOptions, 'resume'> & { isRetry: boolean },
): Promise<EndedRun> {
  if (!isRetry) return runTask(db, task, { ...options, resume: false })
  try {
    return await runTask(db, task, { ...options, resume: true })
  } catch (error) {
    if (error instanceof NothingToResume) return runTask(db, task, { ...options, resume: false })
    throw error
  }
}
