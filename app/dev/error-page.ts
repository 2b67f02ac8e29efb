import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Request } from 'express'

/**
 * Returns an HTML page about an unexpected error for development: the source lines, the line of the view, and the
 * request.
 */
export async function developmentErrorPage(error: Error, req: Request) {
  // Imported here, because production doesn't install this development dependency.
  const { Youch } = await import('youch')
  const youch = new Youch()
  youch.useTransformer((parsed) => {
    const frames = viewFrames(error)
    parsed.frames.unshift(...frames)
    if (frames.length > 0) parsed.message = rootMessage(error)
  })
  youch.metadata.group('Request', {
    Main: [
      { key: 'Method', value: req.method },
      // The token of a link in a mail can sign a user in.
      { key: 'URL', value: req.originalUrl.replace(/([?&]token=)[^&]*/g, '$1[redacted]') },
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
      // Youch uses style attributes, which a nonce can't allow.
      `default-src 'none'; script-src 'nonce-${nonce}' ${COPY_BUTTON}; style-src 'unsafe-inline'; img-src data:; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  }
}

// The event handler of Youch's copy button: `copyErrorMessage(this)`.
const COPY_BUTTON = "'unsafe-hashes' 'sha256-7TqQJF3K4wrZpxSqn+IJ/s3Y705jL5IIk8Ga5HVJD1s='"

const LINES_AROUND = 6

/** Returns a stack frame for each view in the error and its causes, the included view before the one that includes it. */
function viewFrames(error: Error) {
  const places = new Map<string, number>()
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    // Eta begins its messages with a line such as `/app/views/users/index.eta:12`.
    for (const [, file = '', line] of cause.message.matchAll(/^(\/.+\.eta):(\d+)$/gm))
      places.set(file, Number(line))
  }
  return [...places].toReversed().map(([fileName, lineNumber]) => ({
    fileName,
    lineNumber,
    columnNumber: 1,
    type: 'app' as const,
    fileType: 'fs' as const,
    source: sourceAround(fileName, lineNumber),
  }))
}

/** Returns the last line of the first cause: the error of the view's code, without Eta's excerpt of the view. */
function rootMessage(error: Error): string {
  return error.cause instanceof Error ? rootMessage(error.cause) : (error.message.split('\n').at(-1) ?? '')
}

function sourceAround(file: string, line: number) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((chunk, index) => ({ chunk, lineNumber: index + 1 }))
    .filter(({ lineNumber }) => Math.abs(lineNumber - line) <= LINES_AROUND)
}
