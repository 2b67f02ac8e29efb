import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Matches a line of a stack trace that names a file, as a URL or as a path. */
const FRAME = /(?:at |\()(file:\/\/\S+|\/[^\n]+|[A-Za-z]:[\\/][^\n]+):(\d+):\d+\)?$/m

/** Returns the line that called `called`, as `file:line` from the root of the project. For messages only. */
export function declaredAt(called: (...args: never[]) => unknown): string {
  const trace: { stack?: string } = {}
  Error.captureStackTrace(trace, called)
  const [, file, line] = FRAME.exec(trace.stack ?? '') ?? []
  if (file === undefined) return 'an unknown file'
  const path = file.startsWith('file:') ? fileURLToPath(file) : file
  return `${relative(process.cwd(), path).replaceAll(sep, '/')}:${line}`
}
