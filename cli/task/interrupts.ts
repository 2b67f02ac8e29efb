import { EXIT } from '../exit.ts'

/** A second signal within these milliseconds is an echo of the first: npx forwards the signal that the terminal also sent. */
const ECHO = 300

/** Returns a signal that aborts on the first SIGINT or SIGTERM, after calling `notify`. The second one exits immediately. */
export function onInterrupt(notify: () => void): { signal: AbortSignal; dispose: () => void } {
  const stop = new AbortController()
  let first = 0
  const interrupt = () => {
    if (!stop.signal.aborted) {
      first = performance.now()
      stop.abort(new Error('Interrupted.'))
      notify()
    }
    // The handler for `exit` leaves the embedded Postgres.
    else if (performance.now() - first > ECHO) process.exit(EXIT.interrupted)
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, interrupt)
  const dispose = () => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, interrupt)
  }
  return { signal: stop.signal, dispose }
}
