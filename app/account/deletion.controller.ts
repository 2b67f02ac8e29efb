import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  flash,
  type Handler,
  readForm,
  recentlyConfirmed,
  render,
  routes,
  secured,
  storeForm,
  Unauthorized,
} from 'pergola'
import type { FormState } from 'pergola/views'
import { endSession } from '#app/sessions/session.ts'
import { isStillOpen } from '#app/sessions/user-sessions.ts'
import { deleteRecords, remainingRecords } from '#app/users/remaining-records.ts'
import { deleteUser } from './delete-user.ts'
import { ownSession, ownUser } from './own-account.ts'

const deletion = z.strictObject({ records: z.stringbool().default(false) })

const confirm: Handler = (req, res) => show(req, res, { values: {}, errors: {} })

const destroy: Handler = async (req, res) => {
  const user = await ownUser(req, 'delete')
  const session = await ownSession(req)
  const form = await storeForm(readForm(req, deletion), ({ records }) =>
    deleteUser(user, async () => {
      // A concurrent password change ends this session, so it must not delete the account.
      if (!(await isStillOpen(session))) throw new Unauthorized()
      if (records) await deleteRecords(req, user.id)
    }),
  )
  if (!form.valid) return show(req, res.status(form.status), form)
  await endSession(req)
  await flash(req, 'Account deleted.')
  res.redirect(303, '/')
}

async function show(req: Request, res: Response, form: FormState<'records'>) {
  const { userId } = await ownSession(req)
  await render(res, 'account/delete', { form, remaining: await remainingRecords(req, userId) })
}

const confirmed = recentlyConfirmed('15 minutes')

export const deletionRoutes = routes('/account', {
  'GET /delete': [secured(), confirmed, confirm],
  'DELETE /': [secured(), confirmed, destroy],
})
