import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  flash,
  type Handler,
  inTransaction,
  readForm,
  refusedForm,
  render,
  routes,
  secured,
} from '#framework'
import { startSession } from '#app/sessions/session.ts'
import { endSessionsOf } from '#app/sessions/user-sessions.ts'
import { hashPassword, newPassword } from '#app/users/password.ts'
import { users } from '#app/users/user.repository.ts'
import { type OwnUser, ownUser, refusedPassword } from './own-account.ts'

const change = z.strictObject({ current_password: z.string().max(256), password: newPassword })

const edit: Handler = (_req, res) => show(res, { values: {}, errors: {} })

const update: Handler = async (req, res) => {
  const user = await ownUser(req, 'update')
  const form = readForm(req, change)
  if (!form.valid) return show(res.status(422), form)
  const refused = await refusedPassword(req, user, form.input.current_password)
  if (refused) return show(res.status(refused.status).set(refused.headers), refusedForm({}, refused.errors))
  await replacePassword(req, user, form.input.password)
  await flash(req, 'Your password is changed. Every other browser is signed out.')
  res.redirect(303, '/account')
}

async function replacePassword(req: Request, user: OwnUser<'update'>, password: string) {
  const password_digest = await hashPassword(password)
  await inTransaction(async () => {
    await users.update(user, { password_digest })
    await endSessionsOf(user.id)
    await startSession(req, user.id)
  })
}

const show = (res: Response, form: object) => render(res, 'account/password', { form })

export const passwordRoutes = routes('/account/password', {
  'GET /': [secured(), edit],
  'PUT /': [secured(), update],
})
