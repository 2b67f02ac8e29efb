import type { Request, Response } from 'express'
import { z } from 'zod'
import { type Handler, inTransaction, readForm, refusedForm, render, routes, secured } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import type { FormState } from 'pergola/views'
import { startSession } from '#app/sessions/session.ts'
import { areStillValid, type Credentials } from '#app/users/credentials.ts'
import { submittedPassword } from '#app/users/password.ts'
import { nextPath } from './next-path.ts'
import { checkPassword, type FormRejection, ownEmail, ownSession, WRONG_PASSWORD } from './own-account.ts'

const confirmation = z.strictObject({ current_password: submittedPassword })

const newForm: Handler = (req, res) => show(req, res, { values: {}, errors: {} })

const create: Handler = async (req, res) => {
  const { userId } = await ownSession(req)
  const form = readForm(req, confirmation)
  if (!form.valid) return show(req, res.status(422), form)
  const checked = await checkPassword(req, { id: userId }, form.input.current_password)
  const rejection = 'errors' in checked ? checked : await confirm(req, checked)
  if (rejection)
    return show(req, res.status(rejection.status).set(rejection.headers), refusedForm({}, rejection.errors))
  res.redirect(303, nextPath(req))
}

/** Starts a new session with a new token, so that a stolen copy of the cookie is not confirmed as well. */
function confirm(req: Request, credentials: Credentials): Promise<FormRejection | null> {
  return inTransaction(async () => {
    if (!(await areStillValid(credentials))) return WRONG_PASSWORD
    await recordEvent('password-confirmed', { target: credentials.id })
    await startSession(req, credentials.id)
    return null
  })
}

const show = async (req: Request, res: Response, form: FormState<'current_password'>) =>
  render(res, 'account/confirm', {
    form,
    email: await ownEmail(req),
    returnTo: nextPath(req),
    wasRefused: req.query['refused'] === 'true',
  })

/** The page to which `recentlyConfirmed` sends users. */
export const confirmationRoutes = routes('/account/confirm', {
  'GET /': [secured(), newForm],
  'POST /': [secured(), create],
})
