import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Meter } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { errorType, methodOf, operationOf, routeOf } from './attributes.ts'
import { type Messages, observe, observePools } from './channels.ts'
import type { Telemetry } from './telemetry.ts'

/** Serves metrics for Prometheus at `/metrics` of a port of their own. A port that is taken only costs the metrics. */
export async function startMetrics(port: number, { telemetry }: Config, log: Logger): Promise<Telemetry> {
  const host = telemetry.metrics_host
  const options = { host, port, preventServerStart: true, withoutScopeInfo: true, withoutTargetInfo: true }
  const exporter = new PrometheusExporter(options)
  const provider = new MeterProvider({ readers: [exporter] })
  const meter = provider.getMeter('pergola')
  const stops = [countStatements(meter), countJobs(meter), measurePools(meter), measureEventLoop(meter)]
  try {
    await exporter.startServer()
  } catch (err) {
    log.error({ err }, `no metrics: set TELEMETRY__METRICS_PORT to a port of this process alone, not ${port}`)
  }
  return {
    middleware: requestDurations(meter),
    async end() {
      stops.forEach((stop) => stop())
      await provider.shutdown()
    },
  }
}

function requestDurations(meter: Meter): Telemetry['middleware'] {
  const durations = histogram(meter, 'http.server.request.duration', 'Duration of requests.')
  return function requestDuration(req, res, next) {
    const startedAt = performance.now()
    res.once('close', () => {
      const route = routeOf(req)
      durations.record(secondsSince(startedAt), {
        'http.request.method': methodOf(req),
        ...(route !== undefined && { 'http.route': route }),
        ...(res.writableFinished && { 'http.response.status_code': res.statusCode }),
      })
    })
    next()
  }
}

function countStatements(meter: Meter): () => void {
  const durations = histogram(meter, 'db.client.operation.duration', 'Duration of statements.')
  return timed('pergola:statement', (seconds, { text, error }) =>
    durations.record(seconds, {
      'db.system.name': 'postgresql',
      'db.operation.name': operationOf(text),
      ...(error !== undefined && { 'error.type': errorType(error) }),
    }),
  )
}

function countJobs(meter: Meter): () => void {
  const durations = histogram(meter, 'messaging.process.duration', 'Duration of attempts to run a job.')
  return timed('pergola:job', (seconds, { job, error }) =>
    durations.record(seconds, {
      'messaging.system': 'pg-boss',
      'messaging.destination.name': job,
      ...(error !== undefined && { 'error.type': errorType(error) }),
    }),
  )
}

/** Calls `record` with the seconds that each operation of a channel took. */
function timed<Name extends keyof Messages>(
  name: Name,
  record: (seconds: number, message: Messages[Name]) => void,
): () => void {
  const startedAt = new WeakMap<object, number>()
  const begin = (message: object) => void startedAt.set(message, performance.now())
  return observe(name, begin, (message) => {
    const since = startedAt.get(message)
    if (since !== undefined) record(secondsSince(since), message)
  })
}

function measurePools(meter: Meter): () => void {
  const pools = new Set<Pool>()
  const connections = meter.createObservableUpDownCounter('db.client.connection.count', {
    description: 'Connections by their state.',
  })
  const most = meter.createObservableUpDownCounter('db.client.connection.max', {
    description: 'The most connections.',
  })
  const waiting = meter.createObservableUpDownCounter('db.client.connection.pending_requests', {
    description: 'Statements that wait for a connection.',
  })
  meter.addBatchObservableCallback(
    (result) => {
      for (const pool of pools) {
        if (pool.ending) pools.delete(pool)
        const of = { 'db.client.connection.pool.name': nameOf(pool) }
        const idle = pool.idleCount
        result.observe(connections, idle, { ...of, 'db.client.connection.state': 'idle' })
        result.observe(connections, pool.totalCount - idle, { ...of, 'db.client.connection.state': 'used' })
        result.observe(most, pool.options.max, of)
        result.observe(waiting, pool.waitingCount, of)
      }
    },
    [connections, most, waiting],
  )
  return observePools((pool) => void pools.add(pool))
}

/** Returns the host and the database of a pool. */
function nameOf({ options }: Pool): string {
  const url = URL.parse(options.connectionString ?? '')
  return url === null ? '' : `${url.hostname}${url.pathname}`
}

function measureEventLoop(meter: Meter): () => void {
  const delay = monitorEventLoopDelay()
  delay.enable()
  const description = 'Delay of the event loop since the last time that the metrics were read.'
  const gaugeOf = (name: string) =>
    meter.createObservableGauge(`nodejs.eventloop.delay.${name}`, { unit: 's', description })
  const [p50, p99, max] = [gaugeOf('p50'), gaugeOf('p99'), gaugeOf('max')]
  meter.addBatchObservableCallback(
    (result) => {
      result.observe(p50, delay.percentile(50) / 1e9)
      result.observe(p99, delay.percentile(99) / 1e9)
      result.observe(max, delay.max / 1e9)
      delay.reset()
    },
    [p50, p99, max],
  )
  return () => void delay.disable()
}

const histogram = (meter: Meter, name: string, description: string) =>
  meter.createHistogram(name, {
    description,
    unit: 's',
    advice: { explicitBucketBoundaries: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
  })

const secondsSince = (startedAt: number) => (performance.now() - startedAt) / 1_000
