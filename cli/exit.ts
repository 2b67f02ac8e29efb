/** The exit codes of the commands. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** Something needs a decision: either nothing was written, or the message names what was left out. */
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
