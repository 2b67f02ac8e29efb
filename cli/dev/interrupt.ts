/**
 * Returns a signal that aborts on the first Ctrl-C, SIGTERM or SIGHUP, or when npm, the parent process, ends. A second
 * Ctrl-C, SIGTERM or SIGHUP exits immediately.
 */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(130)
      controller.abort()
    })
  }
  // npm does not forward SIGTERM to this process: it only ends the shell that started it.
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
