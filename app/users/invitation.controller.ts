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
} from 'pergola'
import type { FormState } from 'pergola/views'
import { linkTo } from '#app/account-tokens/links.ts'
import { adminGuards } from './admin-guards.ts'
import { emailAddress } from './email-address.ts'
import { byMail, type Deliver, invite, inviteAgain } from './invite-user.ts'
import { roleFields, ROLES } from './roles.ts'
import { userRoutes } from './user.controller.ts'
import { User } from './user.ts'

const newUser = z.strictObject({ name: User.input.shape.name, email: emailAddress, ...roleFields })

const TAKEN = [{ field: 'email', messages: ['An account with this email address already exists.'] }]

const newForm: Handler = (_req, res) => show(res, { values: {}, errors: {} })

const create: Handler = async (req, res) => {
  const form = readForm(req, newUser)
  if (!form.valid) return show(res.status(422), form)
  const { name, email, ...checked } = form.input
  const roles = ROLES.filter((role) => checked[role])
  const user = await invite({ name, email, roles }, await deliverTo(req))
  if (user === null) return show(res.status(422), refusedForm(form.values, TAKEN))
  await flash(req, `Invitation sent to ${user.name}.`)
  res.redirect(303, pathTo(userRoutes, 'GET /:id', user))
}

const repeat: Handler = async (req, res) => {
  const user = record(req, User, 'administer')
  if (await inviteAgain(user.id, await deliverTo(req))) await flash(req, `Invitation sent to ${user.name}.`)
  else await flash(req, 'Only enabled users without a confirmed address can be invited.', 'alert')
  res.redirect(303, pathTo(userRoutes, 'GET /:id', user))
}

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
  'POST /:id/invitation': [...adminGuards, load(User), authorize('administer', User), repeat],
})
