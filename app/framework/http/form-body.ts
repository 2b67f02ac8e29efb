import express, { type RequestHandler } from 'express'
import { BadRequest } from './errors.ts'
import { isApi } from './negotiation.ts'

const parse = express.urlencoded({ extended: false, limit: '100kb', parameterLimit: 100, inflate: false })
const METHODS = new Set(['PUT', 'PATCH', 'DELETE'])

/** Reads the forms of pages; `_method` in one makes a POST the method that HTML forms can't send. */
export const formBody: RequestHandler = (req, res, next) => {
  if (isApi(req)) return next()
  parse(req, res, (error?: unknown) => {
    if (error !== undefined) return next(error)
    const method = (req.body as { _method?: unknown } | undefined)?._method
    if (req.method === 'POST' && method !== undefined) {
      if (typeof method !== 'string' || !METHODS.has(method))
        throw new BadRequest('_method is PUT, PATCH or DELETE.')
      req.method = method
    }
    next()
  })
}
