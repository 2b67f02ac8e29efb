import express from 'express'
import { UnsupportedMediaType } from './errors.ts'
import type { Guard } from './routes.ts'

const parse = express.json({ limit: '100kb', strict: false, inflate: false })

/**
 * Reads a JSON body. It stands after `authorize`, so that a denied caller learns nothing from a bad body.
 * Throws `UnsupportedMediaType` for any other content type.
 */
export function jsonBody(): Guard {
  return {
    kind: 'body',
    async run(req, res) {
      // `is` answers null for a request without a body, which a validation can explain better.
      if (req.is('application/json') === false) throw new UnsupportedMediaType('application/json')
      await new Promise<void>((resolve, reject) =>
        parse(req, res, (error?: unknown) => (error ? reject(error) : resolve())),
      )
    },
  }
}
