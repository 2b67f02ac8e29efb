import type { Response } from 'express'
import { z } from 'zod'
import { flash, type Handler, readForm, refusedForm, render, routes, secured } from 'pergola'
import { endSession } from '#app/sessions/session.ts'
import { deleteUser } from './delete-user.ts'
import { checkPassword, ownUser } from './own-account.ts'

const confirmation = z.strictObject({ current_password: z.string().max(256) })

const confirm: Handler = (_req, res) => show(res, { values: {}, errors: {} })

const destroy: Handler = async (req, res) => {
  const user = await ownUser(req, 'delete')
  const form = readForm(req, confirmation)
  if (!form.valid) return show(res.status(422), form)
  const checked = await checkPassword(req, user, form.input.current_password)
  const rejection = 'errors' in checked ? checked : await deleteUser(user, checked)
  if (rejection)
    return show(res.status(rejection.status).set(rejection.headers), refusedForm({}, rejection.errors))
  await endSession(req)
  await flash(req, 'Account deleted.')
  res.redirect(303, '/')
}

const show = (res: Response, form: object) => render(res, 'account/delete', { form })

export const deletionRoutes = routes('/account', {
  'GET /delete': [secured(), confirm],
  'DELETE /': [secured(), destroy],
})
