import { tracingChannel } from 'node:diagnostics_channel'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Eta } from 'eta'
import { compactText } from './compact-text.ts'
import { escapeHtml } from './html.ts'
import { loadEta } from '../server-packages.ts'
import { quoteSyntaxErrors, syntaxProblem } from './view-errors.ts'

/** The partials of lists and pagers. An application overrides one with a file of the same name below its own views. */
const FRAMEWORK_VIEWS = join(import.meta.dirname, '../../../views')

interface ViewOptions {
  /** Reads views again for every page, so that a reload shows changes. Errors quote the lines of the view. */
  readonly development: boolean
  /** Compiles each view when it is first rendered. */
  readonly isLazy?: boolean
}

/**
 * Returns a renderer for the views in `folder`, and for the framework's views that `folder` doesn't override. Compiles
 * all of them, except in development, and throws for a view with a syntax error: with its name and line.
 */
export function viewsIn(folder: string, { development, isLazy = development }: ViewOptions): Eta {
  const views = renderer(folder, development, escapeHtml)
  // In development, errors quote the lines of the view.
  if (!development) changeSources(views, markup.compact)
  const { resolvePath } = views
  // One path per view.
  const paths = new Map<string, string>()
  views.resolvePath = (template, options) => {
    // A path that begins with a slash doesn't depend on the view that includes it.
    const key = template.startsWith('/') ? template : `${options?.filepath} ${template}`
    const cached = paths.get(key)
    if (cached !== undefined) return cached
    const path = resolvePath?.call(views, template, options) ?? template
    const existing = existsSync(path) ? path : (frameworkView(template) ?? path)
    // In development, an application may add a partial at any time.
    if (!development) paths.set(key, existing)
    return existing
  }
  if (!isLazy) compileAll(views, [folder, FRAMEWORK_VIEWS])
  return views
}

/** Returns a renderer for plain text, such as the text of a mail: it escapes nothing, and keeps empty lines. */
export function textViewsIn(folder: string, { development }: ViewOptions): Eta {
  // oxlint-disable-next-line typescript/no-base-to-string -- converts any value of a view
  const views = renderer(folder, development, (value) => String(value ?? ''))
  changeSources(views, compactText)
  return views
}

function renderer(folder: string, development: boolean, escapeFunction: (value: unknown) => string): Eta {
  const views = new (loadEta().Eta)({
    views: folder,
    autoTrim: false,
    escapeFunction,
    cache: !development,
    debug: development,
  })
  includeOnlyGivenData(views)
  if (development) quoteSyntaxErrors(traced(views))
  return views
}

function traced(views: Eta): Eta {
  const channel = tracingChannel('pergola:view')
  const { render } = views
  views.render = (view, ...data) => channel.traceSync(() => render.call(views, view, ...data), { view })
  return views
}

/** Returns the data of a view. It also reads the values of `context`, as do the views that it includes. */
export const inContext = <Data extends object>(context: object, data: Data): Data =>
  Object.assign(Object.create(context) as Data, data)

/** Eta passes all data of a view to the views that it includes. Ours receive what `include` gives them, and the context. */
function includeOnlyGivenData(views: Eta): void {
  const { compileBody } = views
  views.compileBody = function (body) {
    return INCLUDE + compileBody.call(this, body)
  }
}

/** Eta declares `include` before the body of a view. */
const INCLUDE =
  'include = (name, data) => this.render(name, Object.assign(Object.create(Object.getPrototypeOf(it)), data), options)\n'

/** Changes the whitespace of views. `speed/` replaces it: its pages are smaller, and look the same. */
export const markup: { compact: (source: string) => string } = { compact: compactText }

function changeSources(views: Eta, change: (source: string) => string): void {
  const { readFile } = views
  views.readFile = (path) => change(readFile.call(views, path))
}

function frameworkView(template: string): string | null {
  const path = join(FRAMEWORK_VIEWS, `${template}.eta`)
  return template.startsWith('/') && existsSync(path) ? path : null
}

/** The ending of templates for `textViewsIn`. */
const TEXT = '.text.eta'

function compileAll(views: Eta, folders: readonly string[]): void {
  const files = folders.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }))
  for (const file of new Set(files)) {
    if (!file.endsWith('.eta') || file.endsWith(TEXT)) continue
    const path = views.resolvePath?.(`/${file.slice(0, -'.eta'.length)}`) ?? file
    views.templatesSync.define(path, compiled(views, file, path))
  }
}

function compiled(views: Eta, file: string, path: string) {
  const source = readFileSync(path, 'utf8')
  try {
    return views.compile(markup.compact(source), { filepath: path })
  } catch (error) {
    const { line, problem } = syntaxProblem(views, source, error as Error)
    // oxlint-disable-next-line eslint/preserve-caught-error -- Eta's message quotes the whole compiled view
    throw new Error(`views/${file} can't be compiled: line ${line}: ${problem}`)
  }
}
