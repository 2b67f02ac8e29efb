import { stripVTControlCharacters } from 'node:util'
import { escapeHtml } from 'pergola'
import type { Ending } from './child.ts'

/** Describes how the server ended. */
export function endingText({ code, signal }: Ending): string {
  if (signal !== null) return `The server was terminated by ${signal}.`
  return code === null ? 'The server could not be started.' : `The server exited with code ${code}.`
}

/** Returns the page that is served instead of the crashed server, as HTML or as text, depending on `accept`. */
export function crashPage(ending: Ending, accept = ''): { type: string; body: string } {
  const errors = stripVTControlCharacters(ending.errors).trim() || 'No output on stderr: see the terminal.'
  if (!accept.includes('text/html')) {
    return { type: 'text/plain; charset=utf-8', body: `${endingText(ending)}\n\n${errors}\n` }
  }
  return { type: 'text/html; charset=utf-8', body: html(endingText(ending), errors) }
}

/** The path of the restart button, for fixes without a file change, such as a reset of the database. */
export const RESTART_PATH = '/_dev/start-again'

function html(title: string, errors: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>It restarts when a file changes, and this page reloads automatically.</p>
<form method="post" action="${RESTART_PATH}"><button>Restart now</button></form>
<p>The end of stderr:</p>
<pre>${escapeHtml(errors)}</pre>
</main>
</body>
</html>
`
}
