import type { Request, Response } from 'express'
import type { Youch } from 'youch'
import { answersJson, isHtmx } from '../http/negotiation.ts'
import { type ErrorFacts, errorFacts } from './error-facts.ts'
import { youchPage } from './youch-page.ts'
import { recordings } from './recording.ts'
import { withoutTokens } from './record-requests.ts'

/**
 * Returns a function that answers a request whose code failed, in development: with a page of Youch for browsers, with JSON
 * for an API, and with text for other programs. The function returns false for htmx, which would put the page into the
 * current one: it gets the error view.
 */
export const answerWithError = (youch: Youch) => async (error: Error, req: Request, res: Response) => {
  if (isHtmx(req)) return false
  const facts = errorFacts(error, withoutTokens(req.originalUrl), recordings.getStore())
  if (answersJson(req))
    res.type('application/problem+json').send(JSON.stringify(problemOf(error, req, facts)))
  else if (req.accepts(['text', 'html']) === 'html') {
    const { html, contentSecurityPolicy } = await youchPage(youch, { error, req, facts })
    res.set('Content-Security-Policy', contentSecurityPolicy).type('html').send(html)
  } else res.type('text').send(textOf(error, facts))
  return true
}

/** A problem of RFC 9457, with what only developers may see. */
const problemOf = (error: Error, { id }: Request, { message, place, statement, views }: ErrorFacts) => ({
  type: 'about:blank',
  title: 'Server error',
  status: 500,
  detail: message,
  code: 'internal_error',
  request_id: id,
  ...(place !== null && { place }),
  ...(views.length > 0 && { views }),
  ...(statement !== null && { statement }),
  stack: error.stack?.split('\n'),
})

function textOf(error: Error, { message, place, statement, views }: ErrorFacts): string {
  const parts = [message, ...views, place, statement?.text, statement?.hint, error.stack]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}
