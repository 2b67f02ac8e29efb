/** The run that holds the lease of a task. */
export interface Holder {
  readonly run: number
  readonly started_by: string
  readonly host: string
  readonly pid: number
  /** Its `machineId`; null if its system has none. */
  readonly machine: string | null
  readonly started_at: string
  readonly expires_at: string
}

/** Another process is running the task: see `holder`. This call did nothing. */
export class TaskLocked extends Error {
  readonly holder: Holder

  constructor(task: string, holder: Holder) {
    const { run, started_by, host, pid, started_at } = holder
    super(
      `${task} is already running (run ${run}, started by ${started_by} on ${host}, process ${pid}, since ` +
        `${started_at}). Wait for it, or stop that process.`,
    )
    this.holder = holder
  }
}

/** There is no interrupted run to resume. */
export class NothingToResume extends Error {
  constructor(task: string) {
    super(`${task} has no interrupted run to resume. Run it without --resume.`)
  }
}

/** The run has ended, but its outcome could not be stored: the history will show it as lost. */
export class EndUnrecorded extends Error {
  constructor(task: string, outcome: string, cause: unknown) {
    super(
      `${task} finished (${outcome}), but the result could not be stored. When the database is available, run it ` +
        'with --resume to continue at the last checkpoint',
      { cause },
    )
  }
}

/** The run could not renew its lease in time, so another process may run the task. This run can no longer write. */
export class LeaseLost extends Error {
  constructor(task: string, options?: ErrorOptions) {
    super(`${task} stopped: it could not renew its lease in time, and another process may run it.`, options)
  }
}

/** Returns the error's message for the database. Escapes zero bytes and lone surrogates, which Postgres can't store. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .slice(0, 2_000)
    .replaceAll('\0', '\\0')
    .toWellFormed()
