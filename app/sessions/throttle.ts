import { createHash } from 'node:crypto'
import type { Request } from 'express'
import {
  knownBrowser,
  network,
  rateLimiter,
  recordRejection,
  rememberBrowser,
  TooManyRequests,
} from 'pergola'
import { accountId } from './account-id.ts'

/** The counters of earlier versions. A later version drops the table, when no process of an earlier one runs. */
export interface AttemptTable {
  key: string
  attempts: number
  expires_at: string
}

declare module 'pergola' {
  interface Tables {
    attempts: AttemptTable
  }
}

const MINUTES = 60
const HOURS = 60 * MINUTES

const signInsFromNetwork = rateLimiter('sign-in from', { requests: 20, seconds: 15 * MINUTES })
const signInsToAccount = rateLimiter('sign-in to', { requests: 5, seconds: 15 * MINUTES })
const signInsInBrowser = rateLimiter('sign-in in browser', { requests: 5, seconds: 15 * MINUTES })
const signUpsFromNetwork = rateLimiter('sign-up from', { requests: 10, seconds: 1 * HOURS })

/** The counters contain no addresses: the text may be a password that was typed into the wrong field. */
const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url')

/** Records the first denial of a window, so that a flood of attempts doesn't fill the table. */
const recordDenial = (detail: 'sign-in' | 'sign-up', account?: string) => () =>
  recordRejection('rate-limited', async () => ({
    target: account === undefined ? null : await accountId(account),
    detail,
  }))

/**
 * Counts a sign-in attempt before the password is checked, so that concurrent attempts are all counted. Throws
 * `TooManyRequests`. Call `forgive` after a success to subtract the attempt, so that only failures count.
 *
 * A browser that signed in to the account before has a counter of its own: failures elsewhere don't lock it out.
 */
export async function countSignIn(req: Request, account: string): Promise<{ forgive: () => Promise<void> }> {
  const from = network(req.ip ?? '')
  const browser = await knownBrowser(req, account)
  const attempts = browser === null ? signInsToAccount : signInsInBrowser
  const subject = digestOf(browser === null ? account : `${browser} to ${account}`)
  await signInsFromNetwork.count(from, recordDenial('sign-in'))
  await attempts.count(subject, recordDenial('sign-in', account))
  return {
    async forgive() {
      await signInsFromNetwork.forgive(from)
      await attempts.reset(subject)
      await rememberBrowser(req, account)
    },
  }
}

/**
 * Returns the error if it is a `TooManyRequests`, so that a form can show it. Rethrows any other error. For use in
 * `catch`.
 */
export function asTooManyRequests(error: unknown): TooManyRequests {
  if (error instanceof TooManyRequests) return error
  throw error
}

/** The message of a form after too many sign-ins. */
export const TOO_MANY_SIGN_INS = 'Too many attempts. Try again in 15 minutes.'

/** Counts a sign-up, even if it fails, because the response reveals whether an account exists. Throws `TooManyRequests`. */
export const countSignUp = (req: Request): Promise<void> =>
  signUpsFromNetwork.count(network(req.ip ?? ''), recordDenial('sign-up'))
