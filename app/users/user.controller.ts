import type { Request, Response } from 'express'
import { z } from 'zod'
import {
  authorize,
  flash,
  type Handler,
  listQuery,
  load,
  pageRequest,
  policyContext,
  readForm,
  record,
  refusedForm,
  type Role,
  render,
  routes,
  secured,
} from '#framework'
import { countSessions, endSessionsOf } from '#app/sessions/user-sessions.ts'
import { disable, enable, setRoles } from './administration.ts'
import { LAST_ADMIN } from './last-admin.ts'
import { userEmails, users } from './user.repository.ts'
import { ROLES, User } from './user.ts'

const index: Handler = async (req, res) => {
  const ctx = await policyContext(req)
  const query = listQuery(req, User)
  const page = await users.visibleTo(ctx).page(pageRequest(req), { query, count: { cap: 10_000 } })
  const ids = page.content.map(({ id }) => id)
  await render(res, 'users/index', { page, query, emails: await userEmails(ctx, ids) })
}

const show: Handler = (req, res) => showUser(req, res)

/** A box for each role, so that what is no role is no field. */
const roleBoxes = z.strictObject(
  Object.fromEntries(ROLES.map((role) => [role, z.boolean()])) as Record<Role, z.ZodBoolean>,
)

const changeRoles: Handler = async (req, res) => {
  const user = record(req, User, 'administer')
  const form = readForm(req, roleBoxes)
  if (!form.valid) return showUser(req, res.status(422), { roleForm: form })
  const roles = [...rolesWithoutBox(user), ...ROLES.filter((role) => form.input[role])]
  if (!(await setRoles(user, roles))) {
    const refused = refusedForm(form.input, [{ field: 'admin', messages: [LAST_ADMIN] }])
    return showUser(req, res.status(422), { roleForm: refused })
  }
  await flash(req, `The roles of ${user.name} are saved.`)
  res.redirect(303, `/users/${user.id}`)
}

/** Roles that the form doesn't know are not the form's to take away. */
const rolesWithoutBox = (user: User) => user.roles.filter((role) => !ROLES.some((known) => known === role))

const access = z.strictObject({ access: z.enum(['enabled', 'disabled'], 'Is enabled or disabled.') })

const changeAccess: Handler = async (req, res) => {
  const user = record(req, User, 'administer')
  const form = readForm(req, access)
  if (!form.valid) return showUser(req, res.status(422), { accessForm: form })
  const saved = await (form.input.access === 'enabled' ? enable(user) : disable(user))
  if (!saved) {
    const refused = refusedForm({}, [{ field: '', messages: [LAST_ADMIN] }])
    return showUser(req, res.status(422), { accessForm: refused })
  }
  await flash(req, `${user.name} is ${form.input.access}.`)
  res.redirect(303, `/users/${user.id}`)
}

const signOut: Handler = async (req, res) => {
  const user = record(req, User, 'administer')
  await endSessionsOf(user.id)
  await flash(req, `${user.name} is signed out everywhere.`)
  res.redirect(303, `/users/${user.id}`)
}

/** The page of a user; of its two forms one may have been refused. */
async function showUser(req: Request, res: Response, forms: { roleForm?: object; accessForm?: object } = {}) {
  const user = record(req, User, 'administer')
  const has = Object.fromEntries(ROLES.map((role) => [role, user.roles.includes(role)]))
  await render(res, 'users/show', {
    user,
    email: (await userEmails(await policyContext(req), [user.id])).get(user.id),
    sessions: await countSessions(user.id),
    roles: ROLES,
    roleForm: { values: has, errors: {} },
    accessForm: { values: {}, errors: {} },
    ...forms,
  })
}

export const userRoutes = routes('/users', {
  'GET /': [secured('admin'), index],
  'GET /:id': [secured('admin'), load(User), authorize('administer', User), show],
  // Where a refused form leaves the address of a browser without JavaScript.
  'GET /:id/roles': [secured('admin'), load(User), authorize('administer', User), show],
  'GET /:id/access': [secured('admin'), load(User), authorize('administer', User), show],
  'PUT /:id/roles': [secured('admin'), load(User), authorize('administer', User), changeRoles],
  'PUT /:id/access': [secured('admin'), load(User), authorize('administer', User), changeAccess],
  'DELETE /:id/sessions': [secured('admin'), load(User), authorize('administer', User), signOut],
})
