import { tracingChannel } from 'node:diagnostics_channel'
import {
  context,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import { errorType, operationOf, summaryOf, withoutLiterals } from './attributes.ts'
import { type Decision, type JobAttempt, observe, type Statement } from './channels.ts'
import { contexts } from './context.ts'

/** Records statements, decisions and jobs. Returns a function that ends it. */
export function recordChannels(tracer: Tracer): () => void {
  const stops = [statementSpans(tracer), decisionSpans(tracer), jobSpans(tracer)]
  return () => stops.forEach((stop) => stop())
}

/** Returns whether the running code has a sampled span that has not ended. Other statements have no spans. */
const isInSpan = () => trace.getSpan(context.active())?.isRecording() === true

function fail(span: Span, error: unknown): void {
  span.setAttribute('error.type', errorType(error)).setStatus({ code: SpanStatusCode.ERROR })
}

function statementSpans(tracer: Tracer): () => void {
  const spans = new WeakMap<Statement, Span>()
  const begin = (statement: Statement) => {
    if (!isInSpan()) return
    const text = withoutLiterals(statement.text)
    const summary = summaryOf(text)
    const attributes = {
      'db.system.name': 'postgresql',
      'db.operation.name': operationOf(text),
      'db.query.summary': summary,
      'db.query.text': text,
    }
    spans.set(statement, tracer.startSpan(summary, { kind: SpanKind.CLIENT, attributes }))
  }
  return observe('pergola:statement', begin, (statement) => {
    const span = spans.get(statement)
    if (span === undefined) return
    if (statement.error !== undefined) {
      fail(span, statement.error)
      span.setAttribute('db.response.status_code', errorType(statement.error))
    }
    span.end()
  })
}

/** The context of an operation whose statements are its children. */
function bindSpans<Message extends object>(name: string, open: (message: Message) => Span | null) {
  const { start } = tracingChannel<Context, Message>(name)
  const spans = new WeakMap<Message, Span>()
  start.bindStore(contexts, (message) => {
    const span = open(message)
    if (span === null) return context.active()
    spans.set(message, span)
    return trace.setSpan(context.active(), span)
  })
  return { spans, unbind: () => void start.unbindStore(contexts) }
}

function decisionSpans(tracer: Tracer): () => void {
  const { spans, unbind } = bindSpans<Decision>('pergola:decision', ({ action, resource }) =>
    isInSpan()
      ? tracer.startSpan(`authorize ${action} ${resource}`, {
          attributes: { 'pergola.action': action, 'pergola.resource': resource },
        })
      : null,
  )
  const end = (decision: Decision) => {
    const span = spans.get(decision)
    if (span === undefined) return
    const { result, error = result?.error } = decision
    if (error !== undefined) fail(span, error)
    if (result !== undefined)
      span.setAttributes({ 'pergola.allowed': result.allowed, 'pergola.cause': result.cause })
    if (result?.denial !== undefined) span.setAttribute('pergola.reason', result.denial.reason)
    span.end()
  }
  const stop = observe('pergola:decision', () => {}, end)
  return () => [unbind(), stop()]
}

function jobSpans(tracer: Tracer): () => void {
  const { spans, unbind } = bindSpans<JobAttempt>('pergola:job', ({ job, id, attempt }) =>
    tracer.startSpan(
      `process ${job}`,
      {
        kind: SpanKind.CONSUMER,
        attributes: {
          'messaging.system': 'pg-boss',
          'messaging.operation.type': 'process',
          'messaging.operation.name': 'process',
          'messaging.destination.name': job,
          'messaging.message.id': id,
          'pergola.attempt': attempt,
        },
      },
      ROOT_CONTEXT,
    ),
  )
  const end = (attempt: JobAttempt) => {
    const span = spans.get(attempt)
    if (span === undefined) return
    if (attempt.error !== undefined) fail(span, attempt.error)
    span.end()
  }
  const stop = observe('pergola:job', () => {}, end)
  return () => [unbind(), stop()]
}
