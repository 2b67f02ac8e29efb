import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  flash,
  type Handler,
  inTransaction,
  publicRoute,
  readForm,
  recordEvent,
  refusedForm,
  rememberBrowser,
  routes,
} from 'pergola'
import { findToken, takeToken, type TokenUser } from '#app/account-tokens/account-tokens.ts'
import { type NextStep, renderInvalidLink, renderLinkPage, tokenIn } from '#app/account-tokens/links.ts'
import type { Config } from '#app/config.ts'
import { startSession } from '#app/sessions/session.ts'
import { hashPassword, isOwnAddress, newPassword, OWN_ADDRESS } from '#app/users/password.ts'
import { users } from '#app/users/user.repository.ts'
import { linkForm } from './link-form.ts'
import { afterPasswordChange } from './password-change.ts'
import { verifiedNow } from './verified.ts'

const reset = z.strictObject({ token: z.string(), password: newPassword })

/** The routes of a forgotten password: the form for the address, and the page of the link. */
export function passwordResetRoutes(config: Config) {
  const form = linkForm(config, 'password', 'account/forgotten_password')

  const update: Handler = async (req, res) => {
    const user = (await findToken('password', tokenIn(req)))?.user
    if (!user) return renderInvalidLink(res, NEXT)
    const submitted = readForm(req, reset)
    if (!submitted.valid) return show(req, res.status(422), { user, form: submitted })
    const { token, password } = submitted.input
    if (isOwnAddress(password, user.email)) {
      const errors = [{ field: 'password', messages: [OWN_ADDRESS] }]
      return show(req, res.status(422), { user, form: refusedForm({}, errors) })
    }
    if (!(await setPassword(config, req, token, password))) return renderInvalidLink(res, NEXT)
    await rememberBrowser(req, user.email)
    await flash(req, 'Password changed. You are now signed in, and signed out in all other browsers.')
    res.redirect(303, '/')
  }

  return routes('/password-reset', {
    'GET /': [publicRoute(), form.show],
    'POST /': [publicRoute(), form.create],
    'GET /new': [publicRoute(), newForm],
    'POST /new': [publicRoute(), update],
  })
}

const NEXT: NextStep = { href: '/password-reset', label: 'Request a new link' }

const newForm: Handler = async (req, res) => {
  const user = (await findToken('password', tokenIn(req)))?.user
  if (!user) return renderInvalidLink(res, NEXT)
  await show(req, res, { user })
}

const show = (req: Request, res: Response, { user, form }: { user: TokenUser; form?: object }) =>
  renderLinkPage(res, 'account/new_password', {
    email: user.email,
    form: form ?? { values: {}, errors: {} },
    token: tokenIn(req),
  })

/** Sets the password, ends all sessions and signs in. Returns false if the link is not valid any more. */
async function setPassword(config: Config, req: Request, token: string, password: string): Promise<boolean> {
  const password_digest = await hashPassword(password)
  return inTransaction(async () => {
    const user = (await takeToken('password', token))?.user
    if (!user) return false
    await users.asSystem('password-reset').update(user.id, { password_digest, ...verifiedNow(user) })
    if (!user.isVerified) await recordEvent('address-verified', { actor: user.id, target: user.id })
    await afterPasswordChange(config, req, user.id)
    await startSession(req, user.id)
    return true
  })
}
