import type { RequestHandler } from 'express'
import { UnsupportedMediaType } from './errors.ts'
import { readBody } from './read-body.ts'
import { builtInGuard } from './routes.ts'
import type { Guard } from './route-types.ts'
import { loadExpress } from './server-packages.ts'

/**
 * Guard that reads a JSON body, up to 100 kB. Put it after `authorize`, so that a denied caller doesn't learn
 * whether the body is valid. Throws `UnsupportedMediaType` (415) for another content type, and a 400 for broken
 * JSON.
 */
export function jsonBody(): Guard {
  return builtInGuard({
    kind: 'body',
    run(req, res) {
      // `is` returns null for a request without a body, which the validation explains better.
      if (req.is('application/json') === false) throw new UnsupportedMediaType('application/json')
      return readBody(parser(), req, res)
    },
  })
}

let parse: RequestHandler | undefined
const parser = () => (parse ??= loadExpress().json({ limit: '100kb', strict: false, inflate: false }))
