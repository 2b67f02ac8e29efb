import { Socket } from 'node:net'
import type { Application, Express } from 'express'
import { IncomingMessage, ServerResponse } from '../node-http.ts'

/** Returns a request and its response for a middleware. The socket is never connected, so nothing is sent. */
export function unsentExchange(app: Application) {
  const { request, response } = app as Express
  const req = Object.setPrototypeOf(new IncomingMessage(new Socket()), request) as typeof request
  const res = Object.setPrototypeOf(new ServerResponse(req), response) as typeof response
  return { req, res }
}
