interface ErrorCode {
  readonly status: number
  /** The sentence of an error without a `detail` of its own. */
  readonly detail: string
}

/**
 * The codes of the framework's errors, which programs read in the JSON of a response (RFC 9457). An application can throw
 * an `HttpError` with a code of its own.
 */
export const ERROR_CODES = {
  bad_request: { status: 400, detail: 'The request is malformed.' },
  bad_host: { status: 400, detail: 'The request must have exactly one Host header.' },
  bad_target: { status: 400, detail: 'The address of the request is malformed.' },
  invalid_cursor: {
    status: 400,
    detail: 'This cursor is not valid for this list. Begin again with an empty cursor.',
  },
  invalid_query: { status: 400, detail: 'Some parameters of the list are invalid.' },
  unauthorized: { status: 401, detail: 'Sign in to continue.' },
  forbidden: { status: 403, detail: 'You don’t have permission to do this.' },
  verification_required: { status: 403, detail: 'Verify your email address first.' },
  confirmation_required: { status: 403, detail: 'Confirm your password, then try again.' },
  cross_origin: {
    status: 403,
    detail: 'This request was blocked because it came from another site.',
  },
  https_required: { status: 403, detail: 'Send this request with https.' },
  not_found: { status: 404, detail: 'This page doesn’t exist, or you don’t have access to it.' },
  method_not_allowed: { status: 405, detail: 'This address does not support this method.' },
  request_timeout: {
    status: 408,
    detail: 'The body of the request was not complete in time. Send it again.',
  },
  conflict: {
    status: 409,
    detail: 'This record, or a related record, was changed by another request. Reload it and try again.',
  },
  in_use: { status: 409, detail: 'Other records refer to this record. Delete or change them first.' },
  precondition_failed: {
    status: 412,
    detail: 'This record was changed since you loaded it. Reload it and try again.',
  },
  too_large: { status: 413, detail: 'The request is too large.' },
  unsupported_media_type: { status: 415, detail: 'This address does not accept this content type.' },
  misdirected_request: {
    status: 421,
    detail: 'Unknown host name. Check the address, or the base URL in the server’s configuration.',
  },
  invalid: { status: 422, detail: 'Some fields are invalid.' },
  idempotency_key_reused: {
    status: 422,
    detail:
      'This Idempotency-Key was used for a request with another body. Send a new key for a new request.',
  },
  precondition_required: {
    status: 428,
    detail: 'Send the ETag of the record in If-Match.',
  },
  too_many_requests: { status: 429, detail: 'Too many requests. Try again later.' },
  too_many_headers: { status: 431, detail: 'The request has too many headers.' },
  internal_error: {
    status: 500,
    detail: 'Something went wrong on the server. The error has been logged.',
  },
  bad_transfer_encoding: { status: 501, detail: 'The only supported transfer encoding is chunked.' },
  unavailable: {
    status: 503,
    detail: 'The service is temporarily unavailable. Try again in a moment.',
  },
} as const satisfies Record<string, ErrorCode>

/** Returns the sentence for a code, or that of `bad_request` if the code belongs to the application. */
export function detailOfCode(code: string): string {
  const codes: Readonly<Record<string, ErrorCode>> = ERROR_CODES
  return (Object.hasOwn(codes, code) ? codes[code] : ERROR_CODES.bad_request)!.detail
}
