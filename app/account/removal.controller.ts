import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  authorize,
  database,
  flash,
  type Handler,
  Invalid,
  load,
  pathTo,
  policyContext,
  readForm,
  record,
  render,
  routes,
  storeForm,
} from 'pergola'
import { send } from 'pergola/mail'
import type { FormState } from 'pergola/views'
import { accountNotice } from '#app/mails/account-notice.ts'
import { notifyAfterwards } from '#app/mails/notify-user.ts'
import { adminGuards } from '#app/users/admin-guards.ts'
import { emailAddress } from '#app/users/email-address.ts'
import { deleteRecords, handOver, remainingRecords } from '#app/users/remaining-records.ts'
import { userRoutes } from '#app/users/user.controller.ts'
import { userEmails } from '#app/users/user.repository.ts'
import { User } from '#app/users/user.ts'
import { deleteUser } from './delete-user.ts'
import { deletionRoutes } from './deletion.controller.ts'

const removal = z.strictObject({
  records: z.enum(['keep', 'delete', 'hand_over'], 'Choose what happens to the records.').default('keep'),
  heir: z.union([z.literal(''), emailAddress]).default(''),
})

/** Users delete their own account on its page, which asks for a recent sign-in and ends the session. */
async function isOwn(req: Request, res: Response): Promise<boolean> {
  const { userId } = await policyContext(req)
  if (userId !== record(req, User, 'administer').id) return false
  res.redirect(303, pathTo(deletionRoutes, 'GET /delete'))
  return true
}

const confirm: Handler = async (req, res) => {
  if (!(await isOwn(req, res))) await show(req, res, { values: {}, errors: {} })
}

const destroy: Handler = async (req, res) => {
  if (await isOwn(req, res)) return
  const user = record(req, User, 'administer')
  const email = (await userEmails(await policyContext(req), [user.id])).get(user.id)
  const form = await storeForm(readForm(req, removal), async ({ records, heir }) => {
    await deleteUser(user, async () => {
      if (records === 'delete') await deleteRecords(req, user.id)
      if (records === 'hand_over') await handOver(req, user.id, await heirWith(heir, user))
    })
  })
  if (!form.valid) return show(req, res.status(form.status), form)
  if (email !== undefined && user.email_verified_at !== null)
    await notifyAfterwards(req, () =>
      send(accountNotice, { to: email, data: { name: user.name, text: DELETED } }),
    )
  await flash(req, `${user.name} was deleted.`)
  res.redirect(303, pathTo(userRoutes, 'GET /'))
}

const DELETED = 'Your account was deleted.'

/** Returns the id of the user who gets the records, and locks the row. Throws `Invalid` unless it is another user who can sign in. */
async function heirWith(address: string, { id }: User): Promise<number> {
  const heir = await database()
    .selectFrom('users')
    .select('id')
    .where('email', '=', address)
    .where('id', '!=', id)
    .where('disabled_at', 'is', null)
    .where('email_verified_at', 'is not', null)
    .forKeyShare()
    .executeTakeFirst()
  if (heir === undefined)
    throw new Invalid([{ field: 'heir', messages: ['No other active user has this email address.'] }])
  return heir.id
}

async function show(req: Request, res: Response, form: FormState<'records' | 'heir'>) {
  const user = record(req, User, 'administer')
  await render(res, 'users/delete', { user, form, remaining: await remainingRecords(req, user.id) })
}

const guards = [...adminGuards, load(User), authorize('administer', User)] as const

/** The pages on which admins delete a user. */
export const removalRoutes = routes('/users', {
  'GET /:id/delete': [...guards, confirm],
  'DELETE /:id': [...guards, destroy],
})
