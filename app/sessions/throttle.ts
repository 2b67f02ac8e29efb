import { createHash } from 'node:crypto'
import type { Request } from 'express'
import { type FieldError, TooManyRequests } from 'pergola'
import { knownBrowser, network, rateLimiter, recordRejection, rememberBrowser } from 'pergola/accounts'
import { accountId } from './account-id.ts'

const MINUTES = 60
const HOURS = 60 * MINUTES

const signInsFromNetwork = rateLimiter('sign-in from', { requests: 20, seconds: 15 * MINUTES })
const signInsToAccount = rateLimiter('sign-in to', { requests: 5, seconds: 15 * MINUTES })
const signInsInBrowser = rateLimiter('sign-in in browser', { requests: 5, seconds: 15 * MINUTES })
const linksFromNetwork = rateLimiter('link from', { requests: 30, seconds: 1 * HOURS })
const linksToAddress = rateLimiter('link to', { requests: 5, seconds: 1 * HOURS })

/** The counters contain no addresses: the text may be a password that was typed into the wrong field. */
const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url')

/** Records the first denial of a window, so that a flood of attempts doesn't fill the table. */
const recordDenial = (detail: 'sign-in' | 'link', account?: string) => () =>
  recordRejection('rate-limited', async () => ({
    target: account === undefined ? null : await accountId(account),
    detail,
  }))

/** A counted attempt to sign in. */
export interface SignInAttempt {
  /** Whether the browser signed in to the account before. */
  readonly isKnownBrowser: boolean
  readonly forgive: () => Promise<void>
}

/**
 * Counts a sign-in attempt before the password is checked, so that concurrent attempts are all counted. Throws
 * `TooManyRequests`. Call `forgive` after a success to subtract the attempt, so that only failures count.
 *
 * A browser that signed in to the account before has a counter of its own: failures elsewhere don't lock it out, those of
 * its network included.
 */
export async function countSignIn(req: Request, account: string): Promise<SignInAttempt> {
  const from = network(req.ip ?? '')
  const browser = await knownBrowser(req, account)
  const isKnownBrowser = browser !== null
  const attempts = isKnownBrowser ? signInsInBrowser : signInsToAccount
  const subject = digestOf(isKnownBrowser ? `${browser} to ${account}` : account)
  if (!isKnownBrowser) await signInsFromNetwork.count(from, recordDenial('sign-in'))
  await attempts.count(subject, recordDenial('sign-in', account))
  return {
    isKnownBrowser,
    async forgive() {
      if (!isKnownBrowser) await signInsFromNetwork.forgive(from)
      await attempts.reset(subject)
      await rememberBrowser(req, account)
    },
  }
}

/** Forgets the failed attempts to sign in to an account. Call it when its owner has set a new password. */
export const forgetSignIns = (account: string): Promise<void> => signInsToAccount.reset(digestOf(account))

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

/** Counts a request for a link, by network and by address, with or without an account. Throws `TooManyRequests`. */
export async function countLink(req: Request, address: string): Promise<void> {
  await linksFromNetwork.count(network(req.ip ?? ''), recordDenial('link'))
  await linksToAddress.count(digestOf(address), recordDenial('link', address))
}

/** The error of a form after too many requests for links. */
export const TOO_MANY_LINKS: FieldError = {
  field: 'email',
  messages: ['Too many mails to this address or from your network. Try again in an hour.'],
}
