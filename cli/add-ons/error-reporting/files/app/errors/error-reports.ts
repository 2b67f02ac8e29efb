import { randomUUID } from 'node:crypto'
import type { Event, StackParser } from '@sentry/core'
import type { DestinationStream } from 'pino'
import type { Config } from '../config.ts'

type Settings = Config['errors']

interface Destination extends DestinationStream {
  flushSync?(): void
}

/** A line of the log, with its secrets redacted. Other fields describe the job or the shard. */
interface Line {
  readonly level: number
  readonly time: number
  readonly msg: string
  readonly hostname?: string
  readonly pid?: number
  readonly err?: LoggedError
  readonly req?: { readonly id?: string; readonly method?: string; readonly path?: string }
  /** The id of the user. The log contains it if `server.log_callers` is true. */
  readonly user?: number
  readonly [field: string]: unknown
}

interface LoggedError {
  readonly type?: string
  readonly message?: string
  readonly stack?: string
  readonly cause?: LoggedError
}

/** The levels `error` and `fatal` of pino. */
const IS_ERROR = /^\{"level":[56]0,/
const FATAL = 60

/**
 * Returns a destination that also sends lines about errors to the service of `errors.dsn`. It sends only the fields of
 * the line. A report that can't be sent is dropped: the log has its line. Without a DSN, returns the destination itself.
 */
export function withErrorReports(destination: Destination, { errors }: Config): Destination {
  const { dsn } = errors
  if (dsn === undefined) return destination
  const reporter = reporterFor(dsn)
  reporter.catch(ignore)
  const send = async (line: string) => (await reporter)(JSON.parse(line) as Line, errors)
  return {
    write(line) {
      destination.write(line)
      // An error here must not end the process.
      if (IS_ERROR.test(line)) send(line).catch(ignore)
    },
    // Called by pino for fatal lines.
    ...(destination.flushSync && { flushSync: () => destination.flushSync?.() }),
  }
}

const ignore = () => {}

/** How long a report may take, in milliseconds. */
const TIMEOUT = 10_000

/** The package is imported only with a DSN. */
async function reporterFor(address: string) {
  const sentry = await import('@sentry/core')
  const { nodeStackLineParser } = await import('@sentry/core/server')
  const dsn = sentry.makeDsn(address)
  if (dsn === undefined) throw new Error('The DSN is invalid.')
  const url = sentry.getEnvelopeEndpointWithUrlEncodedAuth(dsn)
  const framesOf = sentry.createStackParser(nodeStackLineParser())
  const transport = sentry.createTransport({ recordDroppedEvent: ignore }, async ({ body }) => {
    const signal = AbortSignal.timeout(TIMEOUT)
    const { status, headers } = await fetch(url, { method: 'POST', body: body as string, signal })
    return {
      statusCode: status,
      headers: {
        'x-sentry-rate-limits': headers.get('x-sentry-rate-limits'),
        'retry-after': headers.get('retry-after'),
      },
    }
  })
  return async (line: Line, settings: Settings) => {
    const event = eventOf(line, settings, framesOf)
    await transport.send(sentry.createEventEnvelope(event, dsn)).then(ignore, ignore)
  }
}

function eventOf(line: Line, { release }: Settings, framesOf: StackParser): Event {
  const { level, time, msg, hostname, pid: _pid, err, req, user, ...extra } = line
  return {
    event_id: randomUUID().replaceAll('-', ''),
    timestamp: time / 1_000,
    platform: 'node',
    environment: 'production',
    level: level === FATAL ? 'fatal' : 'error',
    logentry: { message: msg },
    ...(release !== undefined && { release }),
    ...(hostname !== undefined && { server_name: hostname }),
    ...(req !== undefined && requestOf(req)),
    ...(user !== undefined && { user: { id: user } }),
    // The service expects the cause before the error.
    ...(err !== undefined && {
      exception: { values: causesOf(err).toReversed().map(exceptionOf(framesOf)) },
    }),
    extra,
  }
}

const requestOf = ({ id, method = '', path = '' }: NonNullable<Line['req']>): Partial<Event> => ({
  request: { method, url: path },
  tags: { request_id: id },
})

const causesOf = (err: LoggedError): LoggedError[] =>
  err.cause === undefined ? [err] : [err, ...causesOf(err.cause)]

const exceptionOf =
  (framesOf: StackParser) =>
  ({ type, message, stack }: LoggedError) => ({
    type: type ?? 'Error',
    value: message ?? '',
    ...(stack !== undefined && { stacktrace: { frames: framesOf(stack) } }),
  })
