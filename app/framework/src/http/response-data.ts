import type { Application, Express, Request, Response } from 'express'

type Check = (req: Request, data: unknown) => void

const checks = new WeakMap<Application, Check>()

/** Calls `check` with the data of each page and of each JSON response, before it is sent. */
export function onResponseData(app: Application, check: Check): void {
  checks.set(app, check)
  const { response } = app as Express
  const send = response.json
  response.json = function json(this: Response, body: unknown) {
    check(this.req, body)
    return send.call(this, body)
  }
}

/** Passes the data of a page to the check of its application. */
export const checkResponseData: Check = (req, data) => checks.get(req.app)?.(req, data)
