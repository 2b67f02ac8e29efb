/** Who has a task just now. */
export interface Holder {
  readonly run: number
  readonly started_by: string
  readonly host: string
  readonly pid: number
  readonly started_at: string
  readonly expires_at: string
}

/** The task runs already, and nothing was done. */
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

/** There is no run that could be continued. */
export class NothingToResume extends Error {
  constructor(task: string) {
    super(`${task} has no run that stopped on its way. Begin one: leave --resume out.`)
  }
}

/** The run is over, and the database could not be told: for it, the run is lost. */
export class EndUnrecorded extends Error {
  constructor(task: string, outcome: string, cause: unknown) {
    super(
      `${task} is ${outcome}, and the database could not be told. Once it answers, --resume goes on where the last ` +
        'checkpoint was',
      { cause },
    )
  }
}

/** The lease could not be renewed in time, so that somebody else may have the task: this run writes nothing more. */
export class LeaseLost extends Error {
  constructor(task: string, options?: ErrorOptions) {
    super(
      `${task} lost its lease, and stopped: the database could not be told in time that it is still alive.`,
      options,
    )
  }
}
