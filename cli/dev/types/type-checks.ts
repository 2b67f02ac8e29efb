import type { ChildProcess } from 'node:child_process'
import { type Command, spawnChild } from '../child.ts'

/** Checks of the types of views and code, one at a time. */
export interface TypeChecks {
  /** Checks the current files. Changes during a check cause one more, and its errors are not reported. */
  check(): void
  /** Ends the running check. */
  stop(): void
}

/** Runs `command`, which sends the errors: `views/posts/show.eta(3,12): error TS2339: …`. Calls `report` if they changed. */
export function typeChecks(command: Command, report: (errors: readonly string[]) => void): TypeChecks {
  let child: ChildProcess | null = null
  let isOutdated = false
  let reported = ''

  function start(): void {
    isOutdated = false
    child = spawnChild(command)
    child.stderr?.pipe(process.stderr, { end: false })
    child.on('message', (errors: readonly string[]) => {
      if (isOutdated || errors.join('\n') === reported) return
      reported = errors.join('\n')
      report(errors)
    })
    child.once('error', ({ message }) => console.error(`The types were not checked: ${message}`))
    child.once('close', () => {
      child = null
      if (isOutdated) start()
    })
  }

  return {
    check() {
      isOutdated = true
      if (child === null) start()
    },
    stop() {
      isOutdated = false
      if (child?.connected) child.disconnect()
    },
  }
}
