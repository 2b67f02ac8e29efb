import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Matches the lines of a stack trace that name a file, as a URL or as a path. */
const FRAMES = /(?:at |\()(?:async )?(file:\/\/\S+|\/[^\n]+|[A-Za-z]:[\\/][^\n]+):(\d+):\d+\)?$/gm

/** Returns the line that called `called`, as `file:line` from the root of the project. For messages only. */
export function declaredAt(called: (...args: never[]) => unknown): string {
  const trace: { stack?: string } = {}
  Error.captureStackTrace(trace, called)
  return linesOf(trace.stack).next().value ?? 'an unknown file'
}

/** Returns the lines of a stack trace, the innermost first, as `file:line` from the root of the project. */
export function linesOf(stack = ''): IteratorObject<string, undefined> {
  return stack.matchAll(FRAMES).map(([, file = '', line]) => `${pathInProject(file)}:${line}`)
}

/** Returns the path of a file, or of its URL, from the root of the project. */
export const pathInProject = (file: string): string =>
  relative(process.cwd(), file.startsWith('file:') ? fileURLToPath(file) : file).replaceAll(sep, '/')
