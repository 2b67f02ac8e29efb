/**
 * Returns a signal that aborts on the first Ctrl-C, SIGTERM or SIGHUP, and when npm, the parent process, ends. A second
 * signal exits immediately.
 */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(130)
      controller.abort()
    })
  }
  // A SIGTERM to npm ends the shell between npm and this process, but is not forwarded.
  if (process.env['npm_lifecycle_event']) whenOrphaned(() => controller.abort())
  return controller.signal
}

function whenOrphaned(then: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    then()
  }, 250).unref()
}
