import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Request } from 'express'

/** An HTML page about an unexpected error: its source lines, the line of the view, and the request. In development only. */
export async function developmentErrorPage(error: Error, req: Request) {
  // Youch is a development dependency: production doesn't install it.
  const { Youch } = await import('youch')
  const youch = new Youch()
  youch.useTransformer((parsed) => void parsed.frames.unshift(...viewFrames(error)))
  youch.metadata.group('Request', {
    Main: [
      { key: 'Method', value: req.method },
      { key: 'URL', value: req.originalUrl },
      { key: 'Id', value: req.id },
    ],
    Headers: Object.entries(req.headers)
      .filter(([name]) => name !== 'cookie')
      .map(([key, value]) => ({ key, value })),
  })
  const nonce = randomBytes(16).toString('base64')
  return {
    html: await youch.toHTML(error, { cspNonce: nonce }),
    contentSecurityPolicy:
      // Youch has style attributes, which nonces don't cover.
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'unsafe-inline'; img-src data:; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  }
}

const LINES_AROUND = 6

/** Returns a stack frame for each view in the error and its causes, the included view before the one that includes it. */
function viewFrames(error: Error) {
  const places = new Map<string, number>()
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    // Eta begins its messages with a line such as `/app/views/posts/index.eta:12`.
    for (const [, file = '', line] of cause.message.matchAll(/^(\/.+\.eta):(\d+)$/gm))
      places.set(file, Number(line))
  }
  return [...places].toReversed().map(([fileName, lineNumber]) => ({
    fileName,
    lineNumber,
    type: 'app' as const,
    fileType: 'fs' as const,
    source: sourceAround(fileName, lineNumber),
  }))
}

function sourceAround(file: string, line: number) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((chunk, index) => ({ chunk, lineNumber: index + 1 }))
    .filter(({ lineNumber }) => Math.abs(lineNumber - line) <= LINES_AROUND)
}
