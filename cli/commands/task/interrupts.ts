import { EXIT } from '../../exit.ts'

/**
 * Milliseconds in which a second signal is ignored: the terminal sends Ctrl-C to all processes, and npx forwards it
 * again.
 */
const ECHO = 300

/** Calls `notify` and aborts the returned signal on the first SIGINT or SIGTERM. A second signal exits immediately. */
export function onInterrupt(notify: () => void): { signal: AbortSignal; dispose: () => void } {
  const stop = new AbortController()
  let first = 0
  const interrupt = () => {
    if (!stop.signal.aborted) {
      first = performance.now()
      stop.abort(new Error('Interrupted.'))
      notify()
    }
    // The `exit` handler releases the embedded Postgres.
    else if (performance.now() - first > ECHO) process.exit(EXIT.interrupted)
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, interrupt)
  const dispose = () => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, interrupt)
  }
  return { signal: stop.signal, dispose }
}
