/** The exit codes of the commands. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  conflict: 3,
  inputNeeded: 4,
  locked: 5,
  interrupted: 130,
} as const

/** What each exit code means, for the reference. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'The command succeeded.',
  failed: 'The command failed, or a check found problems.',
  usage: 'The command line is invalid. Nothing was done.',
  conflict:
    'A decision is needed: the message lists the files or changes that were not written, and whether others were.',
  inputNeeded: 'Input is required, but there is no terminal.',
  locked:
    'Another process holds a lock. A migration changed nothing: run it again. For a task, wait for the run that the message names.',
  interrupted: 'The command was interrupted, for example by Ctrl-C.',
}

/** Ends a command: prints the message to stderr and exits with this code. */
export class Exit extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
