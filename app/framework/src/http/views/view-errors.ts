import { isAbsolute, relative } from 'node:path'
import { compileFunction } from 'node:vm'
import type { Eta } from 'eta'

/** Renders a view. Its path begins with a slash. Throws an error that names the view: see `viewError`. */
export function renderView(views: Eta, view: string, data: object): string {
  try {
    return views.render(view, data)
  } catch (error) {
    // oxlint-disable-next-line eslint/preserve-caught-error -- viewError returns it with its cause
    throw viewError(error as Error, views, view)
  }
}

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
function viewError(error: Error, views: Eta, view: string): Error {
  const { line, root } = innermostLine(error)
  if (line === null) {
    // Eta quotes the compiled template. The name of the page is more useful.
    const [message = ''] = error.message.split('\n')
    const page = view.endsWith('.eta') ? view : `${view}.eta`
    return new Error(`views${page}, or a view it includes: ${message}`, { cause: error })
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

/**
 * Returns the line of a view where its code has a syntax error; null if Eta itself rejects the view, since its message
 * then contains the line. Eta doesn't return the line of an error in the code between its tags.
 */
function syntaxErrorLine(views: Eta, source: string): number | null {
  const code = debuggableCode(views, source)?.split('\n')
  if (code === undefined) return null
  const failed = failedLine(code)
  const mark = code.findLastIndex((line, index) => index <= failed && MARK.test(line))
  const line = Number(MARK.exec(code[mark] ?? '')?.[1] ?? 1)
  // A tag may have several lines. Its code begins after the line of the mark.
  const lines = source.split('\n')
  const place = lines.findIndex((text, index) => index >= line && text === code[failed])
  return place === -1 || failed === mark + 1 ? line : place + 1
}

/** Eta writes the line of each tag before its code: `__eta.line=12`. */
const MARK = /^__eta\.line=(\d+)$/

function debuggableCode(views: Eta, source: string): string | null {
  try {
    return views.withConfig({ debug: true }).compileToString(source)
  } catch {
    return null
  }
}

function failedLine(code: readonly string[]): number {
  try {
    compileFunction(code.join('\n'), [], { filename: 'view' })
  } catch (error) {
    const [, line = '1'] = /^view:(\d+)/.exec((error as Error).stack ?? '') ?? []
    return Number(line) - 1
  }
  return 0
}
