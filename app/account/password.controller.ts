import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  flash,
  type Handler,
  inTransaction,
  pathTo,
  publicRoute,
  readForm,
  refusedForm,
  render,
  routes,
  secured,
} from 'pergola'
import type { FormState } from 'pergola/views'
import { startSession } from '#app/sessions/session.ts'
import { areStillValid } from '#app/users/credentials.ts'
import { hashPassword, newPassword, submittedPassword } from '#app/users/password.ts'
import { users } from '#app/users/user.repository.ts'
import { accountRoutes } from './account.controller.ts'
import {
  checkPassword,
  type FormRejection,
  ownEmail,
  type OwnUser,
  ownUser,
  WRONG_PASSWORD,
} from './own-account.ts'
import { passwordError } from './password-error.ts'
import { afterPasswordChange } from './password-change.ts'

const change = z.strictObject({ current_password: submittedPassword, password: newPassword })

const edit: Handler = (req, res) => show(req, res, { values: {}, errors: {} })

const update: Handler = async (req, res) => {
  const user = await ownUser(req, 'update')
  const form = readForm(req, change)
  if (!form.valid) return show(req, res.status(422), form)
  const rejection =
    (await rejectGuessable({ req, user }, form.input.password)) ??
    (await changePassword({ req, user }, form.input))
  if (rejection)
    return show(req, res.status(rejection.status).set(rejection.headers), refusedForm({}, rejection.errors))
  await flash(req, 'Password changed. All other browsers are now signed out.')
  res.redirect(303, pathTo(accountRoutes, 'GET /'))
}

interface Change {
  readonly req: Request
  readonly user: OwnUser<'update'>
}

async function rejectGuessable({ req, user }: Change, password: string): Promise<FormRejection | null> {
  const error = await passwordError(req, password, { name: user.name, email: await ownEmail(req) })
  return error && { status: 422, headers: {}, errors: [error] }
}

async function changePassword(
  { req, user }: Change,
  { current_password, password }: z.output<typeof change>,
): Promise<FormRejection | null> {
  const checked = await checkPassword(req, user, current_password)
  if ('errors' in checked) return checked
  const password_digest = await hashPassword(password)
  return inTransaction(async () => {
    // Rejects the second of two concurrent changes, because the password changed after it was checked.
    if (!(await areStillValid(checked))) return WRONG_PASSWORD
    await users.update(user, { password_digest }, { set: ['password_digest'] })
    await afterPasswordChange(req, user.id)
    await startSession(req, user.id)
    return null
  })
}

const show = async (req: Request, res: Response, form: FormState<'current_password' | 'password'>) =>
  render(res, 'account/password', { form, email: await ownEmail(req) })

/** The routes of a change of the password. */
export const passwordRoutes = routes('/account/password', {
  'GET /': [secured(), edit],
  'PUT /': [secured(), update],
})

/** The address from which password managers open the form. */
export const changePasswordRoutes = routes('/.well-known', {
  'GET /change-password': [publicRoute(), (_req, res) => res.redirect(303, '/account/password')],
})
