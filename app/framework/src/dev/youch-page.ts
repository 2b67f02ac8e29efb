import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Request } from 'express'
import type { Youch } from 'youch'
import { pathInProject } from '../resource/declared-at.ts'
import { OF_APPLICATION } from './caller-line.ts'
import type { ErrorFacts } from './error-facts.ts'

/** A page with its own Content-Security-Policy. */
interface Page {
  readonly html: string
  readonly contentSecurityPolicy: string
}

/** The error of a request. */
export interface Failure {
  readonly error: Error
  readonly req: Request
  readonly facts: ErrorFacts
}

/** Returns an HTML page about an error: its sentence, the source lines, the statement, and the request. */
export async function youchPage(youch: Youch, { error, req, facts }: Failure): Promise<Page> {
  youch.useTransformer((parsed) => {
    const { views, message, place } = facts
    // The page opens the first frame of the application.
    for (const frame of parsed.frames)
      if (!OF_APPLICATION.test(pathInProject(frame.fileName ?? ''))) frame.type = 'module'
    // The stack of a list ends before its handler.
    const isShown = place === null || parsed.frames.some(({ type }) => type === 'app')
    parsed.frames.unshift(...[...views, ...(isShown ? [] : [place])].map(frameOf))
    parsed.message = message
  })
  addFacts(youch, req, facts)
  const nonce = randomBytes(16).toString('base64')
  return {
    html: await youch.toHTML(error, { cspNonce: nonce }),
    contentSecurityPolicy:
      // Youch uses style attributes, which a nonce can't allow. `npm run dev` adds scripts to pages.
      `default-src 'none'; script-src 'self' 'nonce-${nonce}' ${COPY_BUTTON}; connect-src 'self'; ` +
      "style-src 'unsafe-inline'; img-src data:; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  }
}

// The event handler of Youch's copy button: `copyErrorMessage(this)`.
const COPY_BUTTON = "'unsafe-hashes' 'sha256-7TqQJF3K4wrZpxSqn+IJ/s3Y705jL5IIk8Ga5HVJD1s='"

function addFacts(youch: Youch, req: Request, { url, statement, guards }: ErrorFacts): void {
  if (statement !== null) {
    const { text, caller, hint } = statement
    youch.metadata.group('Statement', {
      Postgres: rows({ Statement: text, Hint: hint, 'Sent by': caller }),
    })
  }
  youch.metadata.group('Request', {
    Main: rows({ Method: req.method, URL: url, Id: req.id }),
    ...(guards.length > 0 && {
      Guards: guards.map((guard, index) => ({ key: `${index + 1}`, value: guard })),
    }),
    Headers: rows(Object.fromEntries(Object.entries(req.headers).filter(([name]) => name !== 'cookie'))),
  })
}

const rows = (values: Record<string, string | string[] | null | undefined>) =>
  Object.entries(values).flatMap(([key, value]) => (value == null ? [] : [{ key, value }]))

function frameOf(place: string) {
  const [file = '', line] = place.split(/:(?=\d+$)/)
  const lineNumber = Number(line)
  return {
    fileName: file,
    lineNumber,
    columnNumber: 1,
    type: 'app' as const,
    fileType: 'fs' as const,
    source: readFileSync(file, 'utf8')
      .split('\n')
      .map((chunk, index) => ({ chunk, lineNumber: index + 1 }))
      .filter((shown) => Math.abs(shown.lineNumber - lineNumber) <= 6),
  }
}
