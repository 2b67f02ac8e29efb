import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'

/** Spans or metrics, as `startSpans` and `startMetrics` return them. */
export interface Telemetry {
  readonly middleware: RequestHandler
  /** Returns the fields that each line of the log gets. */
  readonly logFields?: () => object
  /** Sends the last data and stops. */
  readonly end: () => Promise<void>
}

let started: readonly Telemetry[] = []

/** Milliseconds for the last data of a process, which `endInOrder` gives 1,500 for its end. */
const LAST = 1_000

/**
 * Starts the spans and the metrics that `[telemetry]` asks for, and imports the packages only for them. Call it before the
 * databases are opened.
 */
export async function startTelemetry(config: Config, log: Logger): Promise<void> {
  const { endpoint, metrics_port } = config.telemetry
  started = [
    ...(endpoint === undefined ? [] : [(await import('./spans.ts')).startSpans(endpoint, config, log)]),
    ...(metrics_port === undefined
      ? []
      : [await (await import('./metrics.ts')).startMetrics(metrics_port, config, log)]),
  ]
}

/** Returns the middleware that observes requests: none without a setting. */
export const requestTelemetry = (): RequestHandler[] => started.map(({ middleware }) => middleware)

/** Returns the trace of the running code, for the log. */
export const traceFields = (): object =>
  Object.assign({}, ...started.map(({ logFields }) => logFields?.())) as object

/** Sends the last spans, and stops. A collector that doesn't answer delays it by a second. */
export async function endTelemetry(): Promise<void> {
  const ending = started.map(({ end }) => end())
  started = []
  await Promise.race([Promise.allSettled(ending), sleep(LAST, undefined, { ref: false })])
}
