import { context, trace } from '@opentelemetry/api'
import { ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { recordChannels } from './channel-spans.ts'
import { contextManager } from './context.ts'
import { requestSpans } from './request-spans.ts'
import type { Telemetry } from './telemetry.ts'

/** Milliseconds for one request to the collector, with its repetitions. */
const TIMEOUT = 10_000
/** Spans that wait for the collector: further ones are dropped. */
const MOST_WAITING = 2_048
/** Characters of an attribute, such as the SQL. */
const LONGEST = 2_000

/** Sends spans to the collector at `endpoint`, in batches, and never waits for it. */
export function startSpans(endpoint: string, { telemetry, server }: Config, log: Logger): Telemetry {
  const exporter = withLog(new OTLPTraceExporter({ url: endpoint, timeoutMillis: TIMEOUT }), log)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': telemetry.service }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(telemetry.sample_ratio) }),
    spanLimits: { attributeValueLengthLimit: LONGEST },
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: MOST_WAITING, exportTimeoutMillis: TIMEOUT }),
    ],
  })
  context.setGlobalContextManager(contextManager)
  trace.setGlobalTracerProvider(provider)
  const tracer = provider.getTracer('pergola')
  const stopRecording = recordChannels(tracer)
  return {
    middleware: requestSpans(tracer, { callers: server.log_callers }),
    logFields() {
      const span = trace.getSpan(context.active())
      return span === undefined ? {} : { trace_id: span.spanContext().traceId }
    },
    async end() {
      stopRecording()
      trace.disable()
      context.disable()
      await provider.shutdown()
    },
  }
}

/** Writes a line to the log when the collector begins to fail, and one when it accepts spans again. */
function withLog(exporter: OTLPTraceExporter, log: Logger): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== ExportResultCode.SUCCESS
        if (hasFailed && !isFailing) log.warn({ err: result.error }, 'spans can’t be sent, and are dropped')
        if (!hasFailed && isFailing) log.info('spans are sent again')
        isFailing = hasFailed
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}
