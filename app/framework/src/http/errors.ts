import { ERROR_CODES } from './error-codes.ts'

/** A field with its error messages. An empty name stands for the whole record. */
export interface FieldError {
  field: string
  messages: string[]
}

/** A link that an error page shows below its text. */
interface ErrorLink {
  readonly href: string
  readonly label: string
}

interface HttpErrorOptions {
  detail?: string | undefined
  /** The reason as a code for programs. `detail` is the sentence for users. */
  reason?: string | undefined
  headers?: Record<string, string>
  errors?: FieldError[]
  /** The page that helps, for `it.link` of the error view. */
  link?: ErrorLink
  cause?: unknown
}

/**
 * An error that the caller sees, with its status and a code for programs. Throw a subclass, or this class for
 * another status. All other errors become a 500 without details.
 */
export class HttpError extends Error {
  // `declare`, so that the constructor alone defines the fields.
  declare readonly status: number
  declare readonly code: string
  declare readonly detail: string | undefined
  declare readonly reason: string | undefined
  declare readonly headers: Readonly<Record<string, string>>
  declare readonly errors: readonly FieldError[] | undefined
  declare readonly link: ErrorLink | undefined

  constructor(status: number, code: string, options: HttpErrorOptions = {}) {
    // A stack takes longer to record the deeper the code is, so that a denied record would differ from a missing one.
    const { stackTraceLimit } = Error
    if (status === 404) Error.stackTraceLimit = 0
    super(options.detail ?? code, { cause: options.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.name = new.target.name
    this.status = status
    this.code = code
    this.detail = options.detail
    this.reason = options.reason
    this.headers = options.headers ?? {}
    this.errors = options.errors
    this.link = options.link
  }
}

/** 400: the request is malformed. `detail` is shown to the caller. */
export class BadRequest extends HttpError {
  constructor(detail: string) {
    super(400, 'bad_request', { detail })
  }
}

/** 400: the cursor is damaged or belongs to another list. */
export class InvalidCursor extends HttpError {
  constructor() {
    super(400, 'invalid_cursor', { detail: ERROR_CODES.invalid_cursor.detail })
  }
}

/** 401: the request has no session. */
export class Unauthorized extends HttpError {
  constructor(headers: Record<string, string> = {}) {
    super(401, 'unauthorized', { headers: { 'WWW-Authenticate': 'Session', ...headers } })
  }
}

/** 403: the user lacks a role. For a record, `Denied` is thrown instead. */
export class Forbidden extends HttpError {
  constructor() {
    super(403, 'forbidden')
  }
}

/** 404: the page or the record doesn't exist. */
export class NotFound extends HttpError {
  constructor() {
    super(404, 'not_found')
  }
}

/** 409: another request changed the record first, or a unique value is taken. */
export class Conflict extends HttpError {
  constructor(cause?: unknown) {
    super(409, 'conflict', { cause })
  }
}

/** 409: the record can't be deleted because other records refer to it. */
export class InUse extends HttpError {
  constructor(cause?: unknown) {
    // Tasks print the message.
    super(409, 'in_use', { detail: ERROR_CODES.in_use.detail, cause })
  }
}

/** 412: the record's version is not the version in the request. */
export class PreconditionFailed extends HttpError {
  constructor() {
    super(412, 'precondition_failed')
  }
}

/** 415: the body has another content type than `accepted`, which completes the sentence `Send ….` */
export class UnsupportedMediaType extends HttpError {
  constructor(accepted: string) {
    super(415, 'unsupported_media_type', { detail: `Send ${accepted}.` })
  }
}

/** 422: the input doesn't match the schema. Forms show `errors` next to their fields. Keeps the first 100 errors. */
export class Invalid extends HttpError {
  constructor(errors: FieldError[]) {
    super(422, 'invalid', { errors: firstErrors(errors) })
  }
}

const MOST_ERRORS = 100
const LONGEST_NAME = 100

/** Returns the first 100 errors, with short names: a body may contain thousands of unknown fields. */
export const firstErrors = (errors: readonly FieldError[]): FieldError[] =>
  errors.slice(0, MOST_ERRORS).map(({ field, messages }) => ({
    field: field.length > LONGEST_NAME ? `${field.slice(0, LONGEST_NAME)}…` : field,
    messages,
  }))

/** 428: the request must contain the version of the record that it changes. */
export class PreconditionRequired extends HttpError {
  constructor(detail: string) {
    super(428, 'precondition_required', { detail })
  }
}

/** 429: too many requests. The `Retry-After` header has the seconds to wait. */
export class TooManyRequests extends HttpError {
  constructor(retryAfterSeconds: number) {
    super(429, 'too_many_requests', { headers: { 'Retry-After': String(retryAfterSeconds) } })
  }
}

/**
 * 503: the database or another required service doesn't respond, or the application refuses the request for a while.
 * `detail` is shown to the caller. With it, and without an error as its cause, the log has a warning in place of an error.
 */
export class Unavailable extends HttpError {
  constructor(cause?: unknown, detail?: string, retryAfterSeconds = 1) {
    super(503, 'unavailable', { headers: { 'Retry-After': String(retryAfterSeconds) }, cause, detail })
  }
}

/** Returns whether the application refused a request on purpose. Clients can cause it, so it is not an error of the log. */
export const isRefusal = (error: unknown): error is Unavailable =>
  error instanceof Unavailable && error.detail !== undefined && !(error.cause instanceof Error)
