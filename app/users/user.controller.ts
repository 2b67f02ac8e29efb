import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  authorize,
  flash,
  type Handler,
  load,
  pageRequest,
  pathTo,
  policyContext,
  record,
  recordForm,
  type Refused,
  render,
  routes,
  storeForm,
} from 'pergola'
import { configOf } from '#app/config-of.ts'
import { accountNotice } from '#app/mails/account-notice.ts'
import { notifyAfterwards, notifyUser } from '#app/mails/notify-user.ts'
import { countSessions, signOutEverywhere } from '#app/sessions/user-sessions.ts'
import { adminGuards } from './admin-guards.ts'
import { disable, enable, setRoles } from './administration.ts'
import { roleFields, ROLES } from './roles.ts'
import { userEmails, users } from './user.repository.ts'
import { userList } from './user-list.ts'
import { User } from './user.ts'

const index: Handler = async (req, res) => {
  const ctx = await policyContext(req)
  const { options, query, filters } = userList(req)
  const page = await users.visibleTo(ctx).page(pageRequest(req, users), { ...options, count: { cap: 1_000 } })
  const ids = page.content.map(({ id }) => id)
  await render(res, 'users/index', { page, query, filters, emails: await userEmails(ctx, ids) })
}

const show: Handler = (req, res) => showUser(req, res)

/** A checkbox for each role. The strict schema rejects any other name. */
const roleForm = recordForm(User, {
  schema: z.strictObject(roleFields),
  valuesOf: ({ roles }) => Object.fromEntries(ROLES.map((role) => [role, roles.includes(role)])),
})

const changeRoles: Handler = async (req, res) => {
  const user = record(req, User, 'administer')
  const form = await storeForm(await roleForm.read(req, user), async (checked) => {
    const roles = [...rolesWithoutCheckbox(user), ...ROLES.filter((role) => checked[role])]
    return { roles, isChanged: await setRoles(user, roles) }
  })
  if (!form.valid) return showUser(req, res.status(form.status), { roleForm: form })
  const { roles, isChanged } = form.stored
  if (isChanged) await notify(req, user, `Your roles are now: ${roles.join(', ') || 'none'}.`)
  await flash(req, `Roles of ${user.name} saved.`)
  res.redirect(303, pathTo(userRoutes, 'GET /:id', user))
}

/** Mails a notice to the user after the transaction. */
const notify = (req: Request, { id }: User, text: string) =>
  notifyAfterwards(req, () => notifyUser(id, accountNotice, { text }))

/** Returns the roles that have no checkbox in the form. The form must not remove them. */
const rolesWithoutCheckbox = (user: User) =>
  user.roles.filter((role) => !ROLES.some((listed) => listed === role))

const accessForm = recordForm(User, {
  schema: z.strictObject({ access: z.enum(['enabled', 'disabled'], 'Must be enabled or disabled.') }),
  valuesOf: ({ disabled_at }) => ({ access: disabled_at === null ? 'enabled' : 'disabled' }),
})

const changeAccess: Handler = async (req, res) => {
  const user = record(req, User, 'administer')
  const form = await storeForm(await accessForm.read(req, user), async ({ access }) => {
    return { access, isChanged: await (access === 'enabled' ? enable(user) : disable(user)) }
  })
  if (!form.valid) return showUser(req, res.status(form.status), { accessForm: form })
  const { access, isChanged } = form.stored
  if (isChanged) await notify(req, user, `Your account is now ${access}.`)
  await flash(req, `${user.name} is now ${access}.`)
  res.redirect(303, pathTo(userRoutes, 'GET /:id', user))
}

const signOut: Handler = async (req, res) => {
  const user = record(req, User, 'administer')
  await signOutEverywhere(user.id)
  await flash(req, `${user.name} is now signed out everywhere.`)
  res.redirect(303, pathTo(userRoutes, 'GET /:id', user))
}

/** Renders the page of a user. After an error, it contains the rejected form with the user's current data. */
async function showUser(
  req: Request,
  res: Response,
  forms: { roleForm?: Refused<User>; accessForm?: Refused<User> } = {},
) {
  const { current } = { ...forms.roleForm, ...forms.accessForm }
  const user = current ?? record(req, User, 'administer')
  await render(res, 'users/show', {
    user,
    email: (await userEmails(await policyContext(req), [user.id])).get(user.id),
    sessions: await countSessions(user.id, configOf(req).session),
    roles: ROLES,
    roleForm: roleForm.show(user),
    accessForm: accessForm.show(user),
    ...forms,
  })
}

export const userRoutes = routes('/users', {
  'GET /': [...adminGuards, index],
  'GET /:id': [...adminGuards, load(User), authorize('administer', User), show],
  // Without JavaScript, a rejected form ends at these URLs, and the user can reload them.
  'GET /:id/roles': [...adminGuards, load(User), authorize('administer', User), show],
  'GET /:id/access': [...adminGuards, load(User), authorize('administer', User), show],
  'PUT /:id/roles': [...adminGuards, load(User), authorize('administer', User), changeRoles],
  'PUT /:id/access': [...adminGuards, load(User), authorize('administer', User), changeAccess],
  'DELETE /:id/sessions': [...adminGuards, load(User), authorize('administer', User), signOut],
})
