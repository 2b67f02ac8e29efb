import type { Request, Response } from 'express'
import {
  flash,
  type Handler,
  inTransaction,
  publicRoute,
  render,
  routes,
  secured,
  type Session,
} from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { send } from 'pergola/mail'
import { createToken, takeToken } from '#app/account-tokens/account-tokens.ts'
import { linkTo, type NextStep, renderInvalidLink, tokenIn } from '#app/account-tokens/links.ts'
import { verification } from '#app/mails/verification.ts'
import { asTooManyRequests, countLink, TOO_MANY_LINKS } from '#app/sessions/throttle.ts'
import { ownEmail, ownSession, ownUser } from './own-account.ts'
import { showOwnLink } from './own-link.ts'
import { verify } from './take-over.ts'

const create: Handler = async (req, res) => {
  const user = await ownUser(req, 'update')
  if (user.email_verified_at !== null) return show(req, res)
  const email = await ownEmail(req)
  const tooMany = await countLink(req, email).catch(asTooManyRequests)
  if (tooMany) return show(req, res.status(429).set(tooMany.headers), TOO_MANY_LINKS.messages[0])
  await inTransaction(async () => {
    const purpose = 'verification'
    const { token, expiresAt } = await createToken({ purpose, userId: user.id, address: email })
    const link = linkTo(req, { purpose, token })
    await recordEvent('link-requested', { target: user.id, detail: purpose })
    await send(verification, { to: email, data: { link } }, { expiresAt })
  })
  res.redirect(303, '/check-mail')
}

const NEXT: NextStep = { href: '/account/verification', label: 'Request a new link' }

async function show(req: Request, res: Response, error?: string): Promise<void> {
  const user = await ownUser(req, 'update')
  const isVerified = user.email_verified_at !== null
  const wasRefused = req.query['refused'] === 'true'
  await render(res, 'account/verification', {
    email: await ownEmail(req),
    isVerified,
    wasRefused,
    error: error ?? null,
  })
}

const confirm: Handler = (req, res) =>
  showOwnLink(req, res, { purpose: 'verification', action: '/account/verification/confirm', next: NEXT })

const update: Handler = async (req, res) => {
  if (!(await verifyByLink(await ownSession(req), tokenIn(req)))) return renderInvalidLink(res, NEXT)
  await flash(req, 'Email address confirmed.')
  res.redirect(303, '/account')
}

/** Verifies the address of the signed-in user. Returns false if the link is not valid or belongs to another user. */
const verifyByLink = (session: Session, token: string): Promise<boolean> =>
  inTransaction(async () => {
    const user = (await takeToken('verification', token, session.userId))?.user
    if (!user) return false
    await verify(user, session)
    return true
  })

/** The page that explains the verification of the address and mails the link, and the page of the link. */
export const verificationRoutes = routes('/account/verification', {
  'GET /': [secured(), (req, res) => show(req, res)],
  'POST /': [secured(), create],
  // Guests sign in on the page.
  'GET /confirm': [publicRoute(), confirm],
  'POST /confirm': [secured(), update],
})
