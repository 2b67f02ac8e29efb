import { relative } from 'node:path'

/** Where `called` was called from, as `file:line` from the root of the project: for messages, and for who reviews. */
export function declaredAt(called: (...given: never[]) => unknown): string {
  const trace: { stack?: string } = {}
  Error.captureStackTrace(trace, called)
  const [, file = 'unknown', line = '?'] =
    /(?:file:\/\/)?(\/[^\s()]+):(\d+):\d+/.exec(trace.stack ?? '') ?? []
  return `${relative(process.cwd(), file)}:${line}`
}
