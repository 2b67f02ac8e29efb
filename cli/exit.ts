/** What the exit code of a command says. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** Something needs a decision: either nothing was written, or the message names what was left out. */
  conflict: 3,
  /** A question, and no terminal to ask it on. */
  inputNeeded: 4,
  /** Somebody else does it just now. */
  locked: 5,
  interrupted: 130,
} as const

/** Ends a command with this code, after its message was said on stderr. */
export class Exit extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
