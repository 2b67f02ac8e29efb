import { ERROR_CODES } from 'pergola/app'
import { tableOf } from './markdown.ts'

/** Returns the page about the error codes. */
export function errorsPage(): string {
  const rows = Object.entries(ERROR_CODES).map(([code, { status, detail }]) => [
    `\`${code}\``,
    String(status),
    detail,
  ])
  return [
    '# Error codes',
    INTRODUCTION,
    EXAMPLE,
    tableOf([['Code', 'Status', 'Default detail'], ...rows]),
    END,
  ].join('\n\n')
}

const INTRODUCTION =
  'Below `/api`, and for callers that prefer JSON, an error is a problem (RFC 9457, `application/problem+json`). Programs read `code`, and users read `detail`, which can be more precise than the default in this table.'

const EXAMPLE = `\`\`\`json
{
  "type": "about:blank",
  "title": "Unprocessable Entity",
  "status": 422,
  "detail": "Some fields are invalid.",
  "code": "invalid",
  "request_id": "0199f6c4-8f5e-7b0e-9a55-3f4f4f2c7d10",
  "errors": [{ "field": "title", "messages": ["Enter at most 200 characters."] }]
}
\`\`\``

const END =
  '`reason` is added to a `forbidden` whose rule called `deny(reason, …)`. `errors` is added to `invalid`. With `forbidden_response = "404"`, the default, a denied record is a `not_found`: its response has the bytes of a missing record. The classes that throw these errors are in [pergola](pergola.md#errors-that-become-responses).'
