import type { Request } from 'express'
import { flash, type Handler, inTransaction, publicRoute, routes } from 'pergola'
import { knownBrowser, recordEvent, rememberBrowser } from 'pergola/accounts'
import { findToken, takeToken, type TokenUser } from '#app/account-tokens/account-tokens.ts'
import { type NextStep, renderInvalidLink, renderLinkPage, tokenIn } from '#app/account-tokens/links.ts'
import { startSession } from '#app/sessions/session.ts'
import { randomDigest } from '#app/users/password.ts'
import { linkForm } from './link-form.ts'
import { notifyOfSignIn } from './sign-in-notice.ts'
import { takeOver } from './take-over.ts'

const form = linkForm('sign-in', 'account/sign_in_link')

const NEXT: NextStep = { href: '/login/link', label: 'Request a new link' }

const confirm: Handler = async (req, res) => {
  const user = (await findToken('sign-in', tokenIn(req)))?.user
  if (!user) return renderInvalidLink(res, NEXT)
  await renderLinkPage(res, 'account/confirm_sign_in', { email: user.email, token: tokenIn(req) })
}

const signIn: Handler = async (req, res) => {
  const user = await signInByLink(req, tokenIn(req))
  if (user === null) return renderInvalidLink(res, NEXT)
  await rememberBrowser(req, user.email)
  await flash(req, 'You are now signed in.')
  res.redirect(303, '/')
}

/** Starts a session and returns the user. Returns null if the link is not valid. */
function signInByLink(req: Request, token: string): Promise<TokenUser | null> {
  return inTransaction(async () => {
    const user = (await takeToken('sign-in', token))?.user
    if (!user) return null
    const isKnown = (await knownBrowser(req, user.email)) !== null
    if (!user.isVerified) await takeOver(user, { password_digest: randomDigest() })
    await startSession(req, user.id)
    await recordEvent('sign-in', { actor: user.id, target: user.id, detail: 'link' })
    if (!isKnown) await notifyOfSignIn(req, user.id)
    return user
  })
}

/** The routes of sign-in without a password, mounted if `accounts.sign_in_by_link` is true. */
export const signInLinkRoutes = routes('/login/link', {
  'GET /': [publicRoute(), form.show],
  'POST /': [publicRoute(), form.create],
  'GET /confirm': [publicRoute(), confirm],
  'POST /confirm': [publicRoute(), signIn],
})
