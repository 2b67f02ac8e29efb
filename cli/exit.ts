/** The exit codes of the commands. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The user must resolve a conflict. The message lists the files or changes that were not written. */
  conflict: 3,
  /** A question needs an answer, but there is no terminal. */
  inputNeeded: 4,
  /** Another process holds the lock. */
  locked: 5,
  interrupted: 130,
} as const

/** Ends a command: prints the message to stderr and exits with this code. */
export class Exit extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
