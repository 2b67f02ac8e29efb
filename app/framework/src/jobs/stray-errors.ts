import { failUnit } from '../database/executor.ts'

/** Receives the line of an error after which the process ends. A logger of pino is one. */
interface FatalLog {
  fatal(fields: object, message: string): void
}

/**
 * Handles the errors of a worker that no code catches. A promise that a job or a task rejects without awaiting it fails
 * this job or task, and the others continue. After any other error, the state of the process is unknown: it is logged, and
 * `end` is called, which should stop the worker and exit with 1.
 */
export function handleStrayErrors(log: FatalLog, end: () => void): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (err: unknown) => {
      if (event === 'unhandledRejection' && failUnit(err)) return
      log.fatal({ err }, event)
      end()
    })
}
