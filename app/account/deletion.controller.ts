import type { Response } from 'express'
import { z } from 'zod'
import {
  flash,
  type Handler,
  readForm,
  recentlyConfirmed,
  refusedForm,
  render,
  routes,
  secured,
} from 'pergola'
import type { FormState } from 'pergola/views'
import { endSession } from '#app/sessions/session.ts'
import { deleteUser } from './delete-user.ts'
import { ownSession, ownUser } from './own-account.ts'

const confirm: Handler = (_req, res) => show(res, { values: {}, errors: {} })

const destroy: Handler = async (req, res) => {
  const user = await ownUser(req, 'delete')
  const form = readForm(req, z.strictObject({}))
  if (!form.valid) return show(res.status(422), form)
  const problem = await deleteUser(user, await ownSession(req))
  if (problem !== null) return show(res.status(422), refusedForm({}, [{ field: '', messages: [problem] }]))
  await endSession(req)
  await flash(req, 'Account deleted.')
  res.redirect(303, '/')
}

const show = (res: Response, form: FormState<never>) => render(res, 'account/delete', { form })

const confirmed = recentlyConfirmed('15 minutes')

export const deletionRoutes = routes('/account', {
  'GET /delete': [secured(), confirmed, confirm],
  'DELETE /': [secured(), confirmed, destroy],
})
