import { isAbsolute, relative } from 'node:path'
import type { Eta } from 'eta'
import { syntaxErrorLine } from './syntax-error-line.ts'

/**
 * Returns the error of a page. In development, it begins with the line of the view and the problem, and quotes the lines
 * around it:
 *
 * ```
 * views/posts/show.eta:3: it.note is undefined
 *
 *     2| <div>
 *  >> 3|   <h1><%= it.note.title %></h1>
 * ```
 *
 * In production, it names the page: `posts/show.eta`.
 */
export function viewError(error: Error, views: Eta, page: string): Error {
  const { line, root } = innermostLine(error)
  if (line === null) {
    // Eta quotes the compiled template. The name of the page is more useful.
    const [message = ''] = error.message.split('\n')
    return new Error(`views/${page}, or a view it includes: ${message}`, { cause: error })
  }
  const path = relative(String(views.config.views), line.file)
  const file = path.startsWith('..') || isAbsolute(path) ? line.file : `views/${path.replaceAll('\\', '/')}`
  return new Error(`${file}:${line.number}: ${root.message}\n\n${line.excerpt}`, { cause: error })
}

interface FailedLine {
  readonly file: string
  readonly number: string
  readonly excerpt: string
}

/** The message of Eta for an error in a view: the file and the line, an excerpt, and the message of the error. */
const FAILED_LINE = /^(.+\.eta):(\d+)\n((?:(?: {4}| >> )\d+\| .*\n)+)/

/** Returns the line of the innermost of the views that include each other, and the error of its code. */
function innermostLine(error: Error): { line: FailedLine | null; root: Error } {
  let line: FailedLine | null = null
  let root = error
  for (;;) {
    const [, file, number, excerpt] = FAILED_LINE.exec(root.message) ?? []
    if (file === undefined || !(root.cause instanceof Error)) return { line, root }
    line = { file, number: number ?? '', excerpt: excerpt ?? '' }
    root = root.cause
  }
}

/** Adds the line to syntax errors in views, with the lines around it, as Eta does for errors of their code. */
export function quoteSyntaxErrors(views: Eta): void {
  const { compile } = views
  views.compile = function (source, options) {
    try {
      return compile.call(this, source, options)
    } catch (error) {
      const { line, problem } = syntaxProblem(views, source, error as Error)
      return views.RuntimeErr(new SyntaxError(problem), source, line, options?.filepath ?? '')
    }
  }
}

/** Returns the line of a syntax error, and its sentence. */
export function syntaxProblem(views: Eta, source: string, error: Error): { line: number; problem: string } {
  const line = syntaxErrorLine(views, source)
  const lines = error.message.split('\n')
  if (line !== null) return { line, problem: lines[2] ?? '' }
  const [, problem = error.message, place = '1'] = /^(.+) at line (\d+) col \d+:$/.exec(lines[0] ?? '') ?? []
  return { line: Number(place), problem }
}
