import type { RequestHandler } from 'express'
import { BadRequest } from './errors.ts'
import { isApi } from './negotiation.ts'
import { readBody } from './read-body.ts'
import { express } from './server-packages.ts'

const METHODS = new Set(['PUT', 'PATCH', 'DELETE'])

/** Reads the forms of pages; `_method` in one makes a POST the method that HTML forms can't send. */
export const formBody: RequestHandler = async (req, res, next) => {
  if (!isApi(req)) {
    await readBody(parser(), req, res)
    req.method = methodOf(req.method, req.body as { _method?: unknown } | undefined)
  }
  next()
}

function methodOf(sent: string, body: { _method?: unknown } | undefined): string {
  if (sent !== 'POST' || body?._method === undefined) return sent
  if (typeof body._method === 'string' && METHODS.has(body._method)) return body._method
  throw new BadRequest('_method is PUT, PATCH or DELETE.')
}

let parse: RequestHandler | undefined
const parser = () =>
  (parse ??= express().urlencoded({ extended: false, limit: '256kb', parameterLimit: 100, inflate: false }))
