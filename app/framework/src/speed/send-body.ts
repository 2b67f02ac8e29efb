import type { Application, Express, Response } from 'express'
import { utf8 } from './utf8.ts'

/** Replaces `res.json` by one that sends ordinary responses without the work that Express does for others. */
export function useFastJson(app: Application): void {
  const { response } = app as Express
  const send = response.json
  response.json = function json(this: Response, body: unknown) {
    return isOrdinary(this) ? sendJson(this, body) : send.call(this, body)
  }
}

/** The settings of Express that change JSON. */
const JSON_SETTINGS = ['json escape', 'json replacer', 'json spaces']

/** Returns whether a response has a body of its own: it can't be a 304, and no handler set its type. */
function isOrdinary(res: Response): boolean {
  const { req, app, statusCode } = res
  return (
    req.method !== 'HEAD' &&
    statusCode >= 200 &&
    ![204, 205, 304].includes(statusCode) &&
    !res.hasHeader('Content-Type') &&
    (req.headers['if-none-match'] ?? req.headers['if-modified-since']) === undefined &&
    !JSON_SETTINGS.some((name) => app.get(name) !== undefined) &&
    typeof app.get('etag fn') !== 'function'
  )
}

function sendJson(res: Response, body: unknown): Response {
  return sendBody(res, 'application/json; charset=utf-8', JSON.stringify(body) ?? '')
}

/** Sends a page as `res.type('html').send` does. */
export function sendHtml(res: Response, html: string): Response {
  const body = utf8(html)
  return isOrdinary(res) ? sendBody(res, 'text/html; charset=utf-8', body) : res.type('html').send(body)
}

/** Sends a body as Express does. Express parses and writes the content type several times, and copies a text. */
function sendBody(res: Response, type: string, body: string | Buffer): Response {
  res.setHeader('Content-Type', type)
  res.setHeader('Content-Length', Buffer.byteLength(body))
  return res.end(body)
}
