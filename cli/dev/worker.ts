import { type Child, type Command, startChild } from './child.ts'

/** The worker of `npm run dev`. It has the code of the server, so it restarts with it. */
export interface DevelopmentWorker {
  /** Starts a worker as soon as the one before has ended. */
  start(): void
  /** Ends the worker. Its jobs return to their queues. */
  stop(): Promise<void>
}

/** Returns a worker that is not started. A worker that crashes prints its error, and starts again with the server. */
export function developmentWorker(command: Command): DevelopmentWorker {
  let child: Child | null = null
  let ended: Promise<unknown> = Promise.resolve()
  let isWanted = false
  return {
    start() {
      isWanted = true
      void ended.then(() => {
        if (!isWanted || child !== null) return
        child = startChild(command)
      })
    },
    stop() {
      isWanted = false
      const stopped = child?.stop()
      child = null
      return (ended = Promise.all([ended, stopped])).then(() => undefined)
    },
  }
}
