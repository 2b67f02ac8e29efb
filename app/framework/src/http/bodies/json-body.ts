import type { Request } from 'express'
import { UnsupportedMediaType } from '../errors.ts'
import { bodyReader } from './read-body.ts'
import { builtInGuard } from '../routes/routes.ts'
import type { Guard } from '../routes/route-types.ts'
import { loadExpress } from '../server-packages.ts'

declare module 'node:http' {
  interface IncomingMessage {
    /** The result of reading the JSON body of the request. */
    readingBody?: Promise<void>
  }
}

/**
 * Returns a guard for a JSON body, up to 100 kB. The body is read and parsed before the first guard of the route runs,
 * so that a slow client can't delay the write for long after the decision.
 *
 * The guard throws the error of the body: `UnsupportedMediaType` (415) for another content type, a 400 for invalid
 * JSON, a 413 for a larger body, and a 408 if the body is not complete after 15 seconds. Put it after `authorize`, so
 * that the response to a denied caller doesn't depend on the body.
 */
export function jsonBody(): Guard {
  return builtInGuard({
    kind: 'body',
    async prepare(req, res) {
      if (!isJson(req)) return
      req.readingBody = readJson(req, res)
      await req.readingBody.catch(() => undefined)
    },
    run(req) {
      if (!isJson(req)) throw new UnsupportedMediaType('application/json')
      return req.readingBody
    },
  })
}

const readJson = bodyReader(100 * 1024, (limit) =>
  loadExpress().json({ limit, strict: false, inflate: false }),
)

// `is` returns null for a request without a body. The validation errors are then more helpful than a 415.
const isJson = (req: Request): boolean => req.is('application/json') !== false
