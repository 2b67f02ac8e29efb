import { EXIT } from '../exit.ts'

/** Milliseconds within which a second signal is the first once more: npx passes on what the terminal has sent already. */
const ECHO = 300

/** Aborts at the first SIGINT or SIGTERM, for what can be stopped in order; the second ends the process at once. */
export function onInterrupt(said: () => void): { signal: AbortSignal; over: () => void } {
  const stop = new AbortController()
  let first = 0
  const interrupt = () => {
    if (!stop.signal.aborted) {
      first = performance.now()
      stop.abort(new Error('Interrupted.'))
      said()
    }
    // The development Postgres is left on `exit`.
    else if (performance.now() - first > ECHO) process.exit(EXIT.interrupted)
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, interrupt)
  const over = () => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, interrupt)
  }
  return { signal: stop.signal, over }
}
