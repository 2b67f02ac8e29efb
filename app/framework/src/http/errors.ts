/** One field that was refused, with sentences that can stand beside it. An empty field name means the whole record. */
export interface FieldError {
  field: string
  messages: string[]
}

interface HttpErrorOptions {
  detail?: string | undefined
  /** A word for programs that says why, beside the sentence for people. */
  reason?: string | undefined
  headers?: Record<string, string>
  errors?: FieldError[]
  cause?: unknown
}

/** A refusal that the caller may see. Everything else that is thrown becomes a 500 without any detail. */
export class HttpError extends Error {
  readonly status: number
  readonly code: string
  readonly detail: string | undefined
  readonly reason: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly FieldError[] | undefined

  constructor(status: number, code: string, options: HttpErrorOptions = {}) {
    super(options.detail ?? code, { cause: options.cause })
    this.name = new.target.name
    this.status = status
    this.code = code
    this.detail = options.detail
    this.reason = options.reason
    this.headers = options.headers ?? {}
    this.errors = options.errors
  }
}

export class BadRequest extends HttpError {
  constructor(detail: string) {
    super(400, 'bad_request', { detail })
  }
}

/** A cursor that is damaged, or was made for another list. */
export class InvalidCursor extends HttpError {
  constructor() {
    super(400, 'invalid_cursor', {
      detail: 'This cursor was not made for this list. Begin again with an empty one.',
    })
  }
}

/** No session: the caller has to sign in first. */
export class Unauthorized extends HttpError {
  constructor(headers: Record<string, string> = {}) {
    super(401, 'unauthorized', { headers: { 'WWW-Authenticate': 'Session', ...headers } })
  }
}

/** A role is missing. Records that may not be touched throw `Denied` instead. */
export class Forbidden extends HttpError {
  constructor() {
    super(403, 'forbidden')
  }
}

export class NotFound extends HttpError {
  constructor() {
    super(404, 'not_found')
  }
}

/** The record keeps changing, or another has what must be its own. */
export class Conflict extends HttpError {
  constructor(cause?: unknown) {
    super(409, 'conflict', { cause })
  }
}

/** The record can't be deleted while others refer to it. */
export class InUse extends HttpError {
  constructor(cause?: unknown) {
    super(409, 'in_use', {
      detail: 'Other records refer to this one. Delete or change those first.',
      cause,
    })
  }
}

/** The record is no longer what the caller says they saw. */
export class PreconditionFailed extends HttpError {
  constructor() {
    super(412, 'precondition_failed')
  }
}

export class UnsupportedMediaType extends HttpError {
  constructor(accepted: string) {
    super(415, 'unsupported_media_type', { detail: `Send ${accepted}.` })
  }
}

/** Input that doesn't fit the schema. */
export class Invalid extends HttpError {
  constructor(errors: FieldError[]) {
    super(422, 'invalid', { errors })
  }
}

/** The caller has to say which version of the record they saw. */
export class PreconditionRequired extends HttpError {
  constructor(detail: string) {
    super(428, 'precondition_required', { detail })
  }
}

export class TooManyRequests extends HttpError {
  constructor(retryAfterSeconds: number) {
    super(429, 'too_many_requests', { headers: { 'Retry-After': String(retryAfterSeconds) } })
  }
}

/** The database, or something else that this process needs, can't answer now. */
export class Unavailable extends HttpError {
  constructor(cause?: unknown) {
    super(503, 'unavailable', { headers: { 'Retry-After': '1' }, cause })
  }
}
