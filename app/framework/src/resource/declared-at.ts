import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A line of a stack trace that names a file, as an address or as a path. */
const FRAME = /(?:at |\()(file:\/\/\S+|\/[^()\n]+|[A-Z]:\\[^()\n]+):(\d+):\d+\)?$/m

/** Where `called` was called from, as `file:line` from the root of the project: for messages, and for who reviews. */
export function declaredAt(called: (...given: never[]) => unknown): string {
  const trace: { stack?: string } = {}
  Error.captureStackTrace(trace, called)
  const [, file, line] = FRAME.exec(trace.stack ?? '') ?? []
  if (file === undefined) return 'somewhere'
  const path = file.startsWith('file:') ? fileURLToPath(file) : file
  return `${relative(process.cwd(), path).replaceAll(sep, '/')}:${line}`
}
