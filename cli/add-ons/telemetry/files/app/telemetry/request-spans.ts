import type { IncomingMessage } from 'node:http'
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { RequestHandler, Response } from 'express'
import { errorType, methodOf, routeOf } from './attributes.ts'
import { contexts } from './context.ts'

interface Options {
  /** Whether spans contain the id of the signed-in user. */
  readonly callers: boolean
}

/** Returns middleware that records a span for each request. It has the pattern of the route, never the path. */
export function requestSpans(tracer: Tracer, { callers }: Options): RequestHandler {
  return function requestSpan(req, res, next) {
    const parent = parentOf(req)
    const attributes = { 'url.scheme': req.protocol, 'pergola.request_id': req.id }
    const span = tracer.startSpan(methodOf(req), { kind: SpanKind.SERVER, attributes }, parent)
    res.once('close', () => {
      if (span.isRecording()) {
        const route = routeOf(req)
        span.setAttributes({ 'http.request.method': methodOf(req), ...outcomeOf(res) })
        if (route !== undefined)
          span.updateName(`${methodOf(req)} ${route}`).setAttribute('http.route', route)
        if (callers && res.userId !== undefined) span.setAttribute('enduser.id', String(res.userId))
        if (res.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    })
    contexts.run(trace.setSpan(parent, span), next)
  }
}

/** Returns the trace that the request belongs to. Its `tracestate` is ignored. */
function parentOf({ headers }: IncomingMessage): Context {
  const header = headers['traceparent']
  const parent = typeof header === 'string' ? parseTraceParent(header) : null
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true })
}

/** The client of an incomplete response may not have received a status. */
function outcomeOf({ err, statusCode, writableFinished }: Response) {
  return {
    ...(writableFinished && { 'http.response.status_code': statusCode }),
    ...(statusCode >= 500 && { 'error.type': err === undefined ? String(statusCode) : errorType(err) }),
  }
}
