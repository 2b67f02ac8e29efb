import { EXIT } from '../exit.ts'

/** Aborts at the first SIGINT or SIGTERM, for what can be stopped in order; the second ends the process at once. */
export function onInterrupt(said: () => void): { signal: AbortSignal; over: () => void } {
  const stop = new AbortController()
  const interrupt = () => {
    // The development Postgres is left on `exit`.
    if (stop.signal.aborted) process.exit(EXIT.interrupted)
    stop.abort(new Error('Interrupted.'))
    said()
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, interrupt)
  const over = () => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, interrupt)
  }
  return { signal: stop.signal, over }
}
