import { stripVTControlCharacters } from 'node:util'
import { escapeHtml } from 'pergola'
import type { Ending } from './child.ts'

/** How the server ended, as a sentence. */
export function howItEnded({ code, signal }: Ending): string {
  if (signal !== null) return `The server was ended by ${signal}.`
  return code === null ? 'The server could not be started.' : `The server ended with exit code ${code}.`
}

/** What a browser sees in place of the server; text for whoever does not ask for HTML. */
export function crashPage(ending: Ending, accept = ''): { type: string; body: string } {
  const errors =
    stripVTControlCharacters(ending.errors).trim() || 'It wrote nothing to stderr: see the terminal.'
  if (!accept.includes('text/html')) {
    return { type: 'text/plain; charset=utf-8', body: `${howItEnded(ending)}\n\n${errors}\n` }
  }
  return { type: 'text/html; charset=utf-8', body: html(howItEnded(ending), errors) }
}

/** Where the button of the page leads, for what no file tells: a database that was reset, or is there again. */
export const START_AGAIN = '/_dev/start-again'

function html(title: string, errors: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>It starts again as soon as a file changes, and this page comes back by itself.</p>
<form method="post" action="${START_AGAIN}"><button>Start it again now</button></form>
<p>The end of its stderr:</p>
<pre>${escapeHtml(errors)}</pre>
</main>
</body>
</html>
`
}
