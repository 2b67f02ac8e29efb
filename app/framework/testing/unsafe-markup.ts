import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Code that a strict Content-Security-Policy blocks silently, and code that renders data unescaped. */
const UNSAFE: Readonly<Record<string, RegExp>> = {
  'inline handler': /\son[a-z]+\s*=/i,
  'inline style': /\sstyle\s*=/i,
  'inline style element': /<style/i,
  'inline script': /<script(?![^>]*\ssrc=)/i,
  'htmx handler or computed value': /hx-on|\bjs:|javascript:/i,
  'interpolation in an attribute without quotes': /\s[\w:-]+=<%[=~]/,
  'raw output of anything but a partial, the body, a pager, list controls or a time':
    /<%~(?!\s*(?:include\(['`]|it\.body\b|it\.(?:paginationNav|cursorPaginationNav|pageInfo|pageSize|pageJump|loadMore|sortHeading|searchForm|time)\())/,
}

/** Returns whether a view is part of mails, which mail clients show: they support no other styles than those in the mail. */
const isOfMail = (view: string) => /^mails[\\/]/.test(view)

/**
 * Returns the markup in the views of a folder that a strict Content-Security-Policy blocks, or that renders data
 * unescaped: `posts/show.eta: inline handler: onclick=`. Throws if the folder has no views.
 *
 * ```ts
 * expect(unsafeMarkup(join(import.meta.dirname, '../../views'))).toEqual([])
 * ```
 */
export function unsafeMarkup(folder: string): string[] {
  const views = globSync('**/*.eta', { cwd: folder })
  if (views.length === 0) throw new Error(`${folder} has no views. Pass the folder with the .eta files.`)
  return views.toSorted().flatMap((view) => {
    const text = readFileSync(join(folder, view), 'utf8')
    return Object.entries(UNSAFE).flatMap(([problem, pattern]) => {
      const [markup] = isOfMail(view) && problem.startsWith('inline style') ? [] : (pattern.exec(text) ?? [])
      return markup === undefined ? [] : [`${view}: ${problem}: ${markup.trim()}`]
    })
  })
}
