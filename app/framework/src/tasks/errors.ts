/** Who has a task just now. */
export interface Holder {
  readonly run: number
  readonly started_by: string
  readonly host: string
  readonly pid: number
  readonly started_at: string
  readonly expires_at: string
}

/** Another process runs this task: `holder` says which. Nothing was done. */
export class TaskLocked extends Error {
  readonly holder: Holder

  constructor(task: string, holder: Holder) {
    const { run, started_by, host, pid, started_at } = holder
    super(
      `${task} runs already: run ${run}, by ${started_by} on ${host} (process ${pid}), since ${started_at}. ` +
        'Wait for it, or stop that process.',
    )
    this.holder = holder
  }
}

/** There is no interrupted run to resume. */
export class NothingToResume extends Error {
  constructor(task: string) {
    super(`${task} has no run that stopped on its way. Begin one: leave --resume out.`)
  }
}

/** The run has ended, but the database could not store that: its record counts as lost. */
export class EndUnrecorded extends Error {
  constructor(task: string, outcome: string, cause: unknown) {
    super(
      `${task} is ${outcome}, and the database could not be told. Once it answers, --resume goes on where the last ` +
        'checkpoint was',
      { cause },
    )
  }
}

/**
 * The run could not renew its lease in time, so that another process may run the task. This run can't write any
 * more.
 */
export class LeaseLost extends Error {
  constructor(task: string, options?: ErrorOptions) {
    super(
      `${task} lost its lease, and stopped: the database could not be told in time that it is still alive.`,
      options,
    )
  }
}
