import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { escapeHtml } from 'pergola/app'
import type { Ending } from './child.ts'
import { excerpt, html, type Page, text } from './supervisor-page.ts'

/** Describes how the server ended. */
export function endingText({ code, signal }: Ending): string {
  if (signal !== null) return `The server was terminated by ${signal}.`
  return code === null ? 'The server could not be started.' : `The server exited with code ${code}.`
}

/** Returns the page that is served instead of the crashed server, as HTML or as text, depending on `accept`. */
export function crashPage(ending: Ending, accept = ''): Page {
  const errors = stripVTControlCharacters(ending.errors).trim() || 'No output on stderr: see the terminal.'
  const title = endingText(ending)
  const places = sourceOf(errors)
  if (!accept.includes('text/html')) return text([title, ...places, errors])
  return html(title, [
    ...places.map(excerpt),
    '<p>It restarts when a file changes, and this page reloads automatically.</p>',
    `<form method="post" action="${RESTART_PATH}"><button>Restart now</button></form>`,
    '<p>The end of stderr:</p>',
    `<pre>${escapeHtml(errors)}</pre>`,
  ])
}

/** Returns the page for requests that have waited long for a restart. `doing` names what restarts, and why. */
export function waitingPage(doing: string, accept = ''): Page {
  const title = 'The server is restarting.'
  if (!accept.includes('text/html')) return text([title, doing])
  return html(title, [`<p>${escapeHtml(doing)}</p>`, '<p>This page reloads automatically.</p>'])
}

/** The path of the restart button, for fixes without a file change, such as a reset of the database. */
export const RESTART_PATH = '/_dev/start-again'

/** Returns the first line of the application, like `app/posts/post.ts:12`, or none. */
function sourceOf(errors: string): string[] {
  const text = [pathToFileURL('.').href, process.cwd().replaceAll('\\', '/')].reduce(
    (shorter, root) => shorter.replaceAll(`${root}/`, ''),
    errors.replaceAll('\\', '/'),
  )
  const [, place] = /(?:^|[\s(])(app\/(?!framework\/)[^\s()]+\.[a-z]+:\d+)/m.exec(text) ?? []
  return place === undefined ? [] : [place]
}
