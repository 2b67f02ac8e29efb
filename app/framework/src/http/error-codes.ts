/** `detail` is the sentence of an error without one of its own. */
const error = (status: number, detail: string) => ({ status, detail })

/**
 * The codes of the framework's errors, which programs read in the JSON of a response (RFC 9457). An application can throw
 * an `HttpError` with a code of its own.
 */
export const ERROR_CODES = {
  bad_request: error(400, 'The request is malformed.'),
  bad_host: error(400, 'The request must have exactly one Host header.'),
  bad_target: error(400, 'The address of the request is malformed.'),
  invalid_cursor: error(400, 'This cursor is not valid for this list. Begin again with an empty cursor.'),
  invalid_query: error(400, 'Some parameters of the list are invalid.'),
  unauthorized: error(401, 'Sign in to continue.'),
  forbidden: error(403, 'You don’t have permission to do this.'),
  verification_required: error(403, 'Verify your email address first.'),
  confirmation_required: error(403, 'Confirm your password, then try again.'),
  cross_origin: error(403, 'This request was blocked because it came from another site.'),
  https_required: error(403, 'Send this request with https.'),
  not_found: error(404, 'This page doesn’t exist, or you don’t have access to it.'),
  method_not_allowed: error(405, 'This address does not support this method.'),
  request_timeout: error(408, 'The body of the request was not complete in time. Send it again.'),
  conflict: error(
    409,
    'This record, or a related record, was changed by another request. Reload it and try again.',
  ),
  in_use: error(409, 'Other records refer to this record. Delete or change them first.'),
  precondition_failed: error(412, 'This record was changed since you loaded it. Reload it and try again.'),
  too_large: error(413, 'The request is too large.'),
  unsupported_media_type: error(415, 'This address does not accept this content type.'),
  misdirected_request: error(
    421,
    'Unknown host name. Check the address, or the base URL in the server’s configuration.',
  ),
  invalid: error(422, 'Some fields are invalid.'),
  idempotency_key_reused: error(
    422,
    'This Idempotency-Key was used for a request with another body. Send a new key for a new request.',
  ),
  precondition_required: error(428, 'Send the ETag of the record in If-Match.'),
  too_many_requests: error(429, 'Too many requests. Try again later.'),
  too_many_headers: error(431, 'The request has too many headers.'),
  internal_error: error(500, 'Something went wrong on the server. The error has been logged.'),
  bad_transfer_encoding: error(501, 'The only supported transfer encoding is chunked.'),
  unavailable: error(503, 'The service is temporarily unavailable. Try again in a moment.'),
}

/** Returns the sentence for a code, or that of `bad_request` if the code belongs to the application. */
export function detailOfCode(code: string): string {
  const codes: Readonly<Record<string, ReturnType<typeof error>>> = ERROR_CODES
  return (Object.hasOwn(codes, code) ? codes[code] : ERROR_CODES.bad_request)!.detail
}
