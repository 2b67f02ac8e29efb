import type { Request, RequestHandler, Response } from 'express'
import { beforeHead } from '../http/before-head.ts'
import { isProbeOrAsset } from '../http/cheap-requests.ts'
import { observeOnce, Recording, recordings } from './recording.ts'
import { type Outcome, repeatedStatements, type RequestRecord } from './request-record.ts'

const records: RequestRecord[] = []

/** What developers should know about this process, such as a migration of another branch. Each page links to it. */
export const notices: string[] = []

/** Returns the last 200 requests of this process, the newest first. */
export const recordedRequests = (): readonly RequestRecord[] => records.toReversed()

/**
 * Middleware for development. Records what each request does, except for those below `/_dev`, and tells browsers a summary
 * in the header `Server-Timing`. Needs the id of `requestLog`.
 */
export const recordRequest: RequestHandler = function recordRequest(req, res, next) {
  if (isProbeOrAsset(req) || req.path.startsWith('/_dev')) return next()
  observeOnce()
  const recording = new Recording(recordOf(req))
  if (records.push(recording.record) > 200) records.shift()
  beforeHead(res, () => res.setHeader('Server-Timing', summaryOf(recording)))
  res.once('close', () => (recording.record.outcome = outcomeOf(req, res, recording)))
  recordings.run(recording, next)
}

function recordOf(req: Request): RequestRecord {
  return {
    id: req.id,
    startedAt: new Date(),
    method: req.method,
    url: withoutTokens(req.originalUrl),
    guards: [],
    decisions: [],
    statements: [],
    views: [],
    jobs: [],
    log: [],
    outcome: null,
  }
}

/** The token of a link in a mail can sign a user in. */
export const withoutTokens = (url: string): string => url.replace(/([?&]token=)[^&]*/g, '$1[redacted]')

function outcomeOf(req: Request, res: Response, recording: Recording): Outcome {
  const { path: route } = (req.route ?? {}) as { path?: string }
  return {
    status: res.writableFinished ? res.statusCode : null,
    ms: recording.now(),
    ...(route !== undefined && { route }),
    ...(res.userId !== undefined && { userId: res.userId }),
    ...(res.err !== undefined && { error: res.err.message }),
  }
}

/** The bar of a page reads these: the id, the number of statements, and how many were sent again and again. */
function summaryOf(recording: Recording): string {
  const { id, statements } = recording.record
  const ms = statements.reduce((sum, statement) => sum + (statement.ms ?? 0), 0)
  return [
    `request;desc="${id}";dur=${recording.now().toFixed(1)}`,
    `statements;desc="${statements.length}";dur=${ms.toFixed(1)}`,
    `repeated;desc="${repeatedStatements(recording.record).length}", notices;desc="${notices.length}"`,
  ].join(', ')
}
