import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Eta } from 'eta'
import { escapeHtml } from './html.ts'
import { loadEta } from './server-packages.ts'

/** The partials of lists and pagers. An application overrides one with a file of the same name below its own views. */
const FRAMEWORK_VIEWS = join(import.meta.dirname, '../../views')

interface ViewOptions {
  /** Reads views again for every page, so that a reload shows changes. Errors quote the lines of the view. */
  readonly development: boolean
}

/** Returns a renderer for the views in `folder`, and for the framework's views that `folder` doesn't override. */
export function viewsIn(folder: string, { development }: ViewOptions): Eta {
  const views = new (loadEta().Eta)({
    views: folder,
    autoTrim: false,
    escapeFunction: escapeHtml,
    cache: !development,
    debug: development,
  })
  const { resolvePath } = views
  const paths = new Map<string, string>()
  views.resolvePath = (template, options) => {
    const path = resolvePath?.call(views, template, options) ?? template
    const cached = paths.get(path)
    if (cached !== undefined) return cached
    const existing = existsSync(path) ? path : (frameworkView(template) ?? path)
    // In development, an application may add a partial at any time.
    if (!development) paths.set(path, existing)
    return existing
  }
  return views
}

/** Returns a renderer for the framework's views only, for pagers that are rendered outside of a request. */
export const frameworkViews = (): Eta => (ownViews ??= viewsIn(FRAMEWORK_VIEWS, { development: false }))
let ownViews: Eta | undefined

function frameworkView(template: string): string | null {
  const path = join(FRAMEWORK_VIEWS, `${template}.eta`)
  return template.startsWith('/') && existsSync(path) ? path : null
}
