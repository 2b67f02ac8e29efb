import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  authorize,
  flash,
  type Handler,
  load,
  pathTo,
  policyContext,
  readForm,
  record,
  refusedForm,
  render,
  type Role,
  routes,
  storeForm,
} from 'pergola'
import type { FormState } from 'pergola/views'
import { linkTo } from '#app/account-tokens/links.ts'
import { adminGuards } from './admin-guards.ts'
import { emailAddress } from './email-address.ts'
import { ADDRESS_TAKEN, byMail, type Deliver, invite, inviteAgain } from './invite-user.ts'
import { roleFields, ROLES } from './roles.ts'
import { userRoutes } from './user.controller.ts'
import { userEmails } from './user.repository.ts'
import { User } from './user.ts'

const newUser = z.strictObject({ name: User.input.shape.name, email: emailAddress, ...roleFields })

const newForm: Handler = (_req, res) => show(res, { values: {}, errors: {} })

const create: Handler = async (req, res) => {
  const form = readForm(req, newUser)
  if (!form.valid) return show(res.status(422), form)
  const { name, email, ...checked } = form.input
  const roles = ROLES.filter((role) => checked[role])
  const user = await invite({ name, email, roles }, await deliverTo(req))
  if (user === null) return show(res.status(422), refusedForm(form.values, [ADDRESS_TAKEN]))
  await flash(req, `Invitation sent to ${user.name}.`)
  res.redirect(303, pathTo(userRoutes, 'GET /:id', user))
}

const invited = newUser.pick({ name: true, email: true })

const editForm: Handler = async (req, res) => {
  const user = record(req, User, 'administer')
  if (user.email_verified_at !== null || user.disabled_at !== null) return refuse(req, res, user)
  const email = (await userEmails(await policyContext(req), [user.id])).get(user.id)
  await showAgain(req, res, { values: { name: user.name, email }, errors: {} })
}

const repeat: Handler = async (req, res) => {
  const user = record(req, User, 'administer')
  const form = await storeForm(readForm(req, invited.partial()), async ({ name, email }) => {
    const corrected = { ...(name !== undefined && { name }), ...(email !== undefined && { email }) }
    return {
      name: user.name,
      isSent: await inviteAgain(user.id, await deliverTo(req), corrected),
      ...corrected,
    }
  })
  if (!form.valid) return showAgain(req, res.status(form.status), form)
  const { name, isSent } = form.stored
  if (!isSent) return refuse(req, res, user)
  await flash(req, `Invitation sent to ${name}.`)
  res.redirect(303, pathTo(userRoutes, 'GET /:id', user))
}

async function refuse(req: Request, res: Response, user: User) {
  await flash(req, 'Only enabled users without a confirmed address can be invited.', 'alert')
  res.redirect(303, pathTo(userRoutes, 'GET /:id', user))
}

const showAgain = (req: Request, res: Response, form: FormState<'name' | 'email'>) =>
  render(res, 'users/invitation', { user: record(req, User, 'administer'), form })

const show = (res: Response, form: FormState<'name' | 'email' | Role>) =>
  render(res, 'users/new', { form, roles: ROLES })

async function deliverTo(req: Request): Promise<Deliver> {
  const { session } = await policyContext(req)
  const linkOf = (token: string) => linkTo(req, { purpose: 'invitation', token })
  return byMail(session?.name ?? null, linkOf)
}

/** The pages on which admins invite users. */
export const invitationRoutes = routes('/users', {
  'GET /new': [...adminGuards, authorize('create', User), newForm],
  'POST /': [...adminGuards, authorize('create', User), create],
  'GET /:id/invitation': [...adminGuards, load(User), authorize('administer', User), editForm],
  'POST /:id/invitation': [...adminGuards, load(User), authorize('administer', User), repeat],
})
