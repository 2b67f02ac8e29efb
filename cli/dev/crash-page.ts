import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { escapeHtml } from 'pergola/app'
import { editorUrl } from 'pergola/dev'
import type { Ending } from './child.ts'

/** A page of the supervisor, as HTML or as text. */
export interface Page {
  type: string
  body: string
}

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
    ...places.flatMap((place) => [`<p>${link(place)}</p>`, `<pre>${escapeHtml(linesAround(place))}</pre>`]),
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

function link(place: string): string {
  const [url, code] = [editorUrl(place), `<code>${escapeHtml(place)}</code>`]
  return url === null ? code : `<a href="${escapeHtml(url)}">${code}</a>`
}

const LINES_AROUND = 4

/** Returns the lines around a place, with a mark at its own. */
function linesAround(place: string): string {
  const [file = '', line] = place.split(':')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const first = Math.max(1, Number(line) - LINES_AROUND)
  return lines
    .slice(first - 1, Number(line) + LINES_AROUND)
    .map((code, index) => `${first + index === Number(line) ? '▸' : ' '} ${first + index}  ${code}`)
    .join('\n')
}

const text = (paragraphs: string[]): Page => ({
  type: 'text/plain; charset=utf-8',
  body: `${paragraphs.join('\n\n')}\n`,
})

const html = (title: string, content: string[]): Page => ({
  type: 'text/html; charset=utf-8',
  body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content.join('\n')}
</main>
</body>
</html>
`,
})
