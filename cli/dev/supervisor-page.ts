import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { escapeHtml } from 'pergola/app'
import { editorUrl } from 'pergola/dev'

/** A page of the supervisor, as HTML or as text. */
export interface Page {
  type: string
  body: string
}

/** Returns the lines around a place, `app/posts/post.ts:12`, below a link to the editor. */
export const excerpt = (place: string): string =>
  `<p>${link(place)}</p>\n<pre>${escapeHtml(linesAround(place))}</pre>`

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

export const text = (paragraphs: string[]): Page => ({
  type: 'text/plain; charset=utf-8',
  body: `${paragraphs.join('\n\n')}\n`,
})

const STYLE = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
strong { overflow-wrap: anywhere }
pre { padding: 1rem; border: 1px solid #8886; border-radius: 6px; overflow-x: auto }`

export const html = (title: string, content: string[]): Page => ({
  type: 'text/html; charset=utf-8',
  body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<style>${STYLE}</style></head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content.join('\n')}
</main>
</body>
</html>
`,
})

/** A page of another site could read the error with a name of its own for this machine (DNS rebinding). */
export const isOwn = ({ headers }: IncomingMessage): boolean =>
  /^(?:localhost|[\d.]+|\[[\da-f:]+\])(?::\d+)?$/i.test(headers.host ?? '')
