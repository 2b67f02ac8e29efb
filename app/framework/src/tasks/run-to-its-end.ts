import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { isConnectionLoss } from '../database/database-failure.ts'
import { databaseContext } from '../database/executor.ts'
import type { Heartbeat } from '../leases/heartbeat.ts'
import { type EndedRun, positionOf } from './run-records.ts'
import type { AnyTask, TaskRun } from './task.ts'
import { LeaseLost, messageOf } from '../leases/task-errors.ts'

/** How often a run continues at the same checkpoint after it lost its connection. */
const ATTEMPTS = 5

interface Watch {
  /** The id of the run. */
  readonly id: number
  readonly stop: AbortSignal
  readonly heartbeat: Heartbeat
  readonly stray: StrayError
}

type Outcome = Pick<EndedRun, 'outcome' | 'error'>

/**
 * Runs the task and returns its outcome. If the connection to the database breaks, the task continues at its last
 * checkpoint, like a run with `resume`. Without a checkpoint, it begins again, unless it may have written.
 */
export async function runToItsEnd(task: AnyTask, run: TaskRun<object>, watch: Watch): Promise<Outcome> {
  let { position } = run
  for (let attempts = 1; ; attempts++) {
    const ended = await outcomeOf(task, { ...run, position }, watch)
    // The code that rejected a promise may still run, so it must not run again.
    if (ended.outcome !== 'failed' || run.dryRun || watch.stray.hasFailed) return ended
    if (!isConnectionLoss(ended.error)) return ended
    const checkpoint = await lastCheckpoint(run, watch).catch(() => undefined)
    if (checkpoint === undefined || (checkpoint === null && databaseContext().unit.writes > 0)) return ended
    if (checkpoint !== position) attempts = 0
    if (attempts >= ATTEMPTS) return ended
    run.warn('The connection to the database broke. The task continues at its last checkpoint.')
    position = checkpoint
  }
}

/** Returns the stored checkpoint as soon as the database is reachable. Throws when the run has to stop. */
async function lastCheckpoint({ position, signal }: TaskRun<object>, { id }: Watch): Promise<string | null> {
  for (;;) {
    signal.throwIfAborted()
    try {
      return (await positionOf(id)) ?? position
    } catch (error) {
      if (!isConnectionLoss(error)) throw error
    }
    await sleep(500, undefined, { signal })
  }
}

async function outcomeOf(task: AnyTask, run: TaskRun<object>, watch: Watch): Promise<Outcome> {
  const { stop, heartbeat, stray } = watch
  try {
    // Node reports promises that are rejected and not awaited after the current turn.
    await Promise.race([task.run(run).then(() => setImmediate()), stray.rejection])
    // The task may have caught `LeaseLost` and returned, although some of its writes were rejected.
    heartbeat.signal.throwIfAborted()
    return { outcome: 'done', error: null }
  } catch (error) {
    if (error instanceof LeaseLost) return { outcome: 'lost', error }
    if (stop.aborted && isStop(error, stop)) return { outcome: 'interrupted', error: null }
    // A lost lease also causes other errors: the server closes the connection of a process that freezes in a
    // transaction.
    if (heartbeat.isLost()) return { outcome: 'lost', error: new LeaseLost(task.name, { cause: error }) }
    return { outcome: 'failed', error }
  }
}

const isStop = (error: unknown, { reason }: AbortSignal) =>
  error === reason || (error instanceof Error && error.name === 'AbortError')

/** The error of a promise that a run rejected and didn't await. */
export class StrayError {
  readonly #warn: (line: string) => void
  readonly #rejection = Promise.withResolvers<never>()
  /** Rejects with the error. */
  readonly rejection = this.#rejection.promise
  hasFailed = false
  #isOver = false

  constructor(warn: (line: string) => void) {
    this.#warn = warn
    // The run may have ended for another reason.
    this.rejection.catch(() => {})
  }

  /** Fails the run. After its end, only logs the error. */
  readonly fail = (error: unknown): void => {
    if (this.#isOver) this.#warn(`A promise that the task did not await was rejected: ${messageOf(error)}`)
    this.hasFailed = true
    this.#rejection.reject(error)
  }

  end(): void {
    this.#isOver = true
  }
}
