import type { Request, Response } from 'express'
import {
  flash,
  formFor,
  formInput,
  type Handler,
  pathTo,
  policyContext,
  render,
  routes,
  secured,
  storeForm,
} from 'pergola'
import type { FormOf } from 'pergola/views'
import { browserName } from '#app/sessions/browser-name.ts'
import { configOf } from '#app/config-of.ts'
import { type OpenSession, openSessions } from '#app/sessions/user-sessions.ts'
import { userEmails, users } from '#app/users/user.repository.ts'
import { User } from '#app/users/user.ts'
import { ownSession, ownUser } from './own-account.ts'

const show: Handler = async (req, res) => {
  const user = await ownUser(req, 'update')
  await showAccount(req, res, { user, form: formFor(User, user) })
}

const update: Handler = async (req, res) => {
  const user = await ownUser(req, 'update')
  const form = await storeForm(await formInput(req, User, user), (input) => users.update(user, input))
  if (!form.valid) return showAccount(req, res.status(form.status), { user, form })
  await flash(req, 'Changes saved.')
  res.redirect(303, pathTo(accountRoutes, 'GET /'))
}

async function showAccount(
  req: Request,
  res: Response,
  { user, form }: { user: User; form: FormOf<typeof User> },
): Promise<void> {
  const session = await ownSession(req)
  const sessions = await openSessions(session, configOf(req).session)
  await render(res, 'account/show', {
    form,
    email: (await userEmails(await policyContext(req), [session.userId])).get(session.userId),
    isVerified: user.email_verified_at !== null,
    sessions: sessions.map(withBrowser),
  })
}

const withBrowser = (open: OpenSession) => ({ ...open, browser: browserName(open.user_agent) })

/** A session on the page of its user. */
export type OwnSession = ReturnType<typeof withBrowser>

export const accountRoutes = routes('/account', {
  'GET /': [secured(), show],
  'PUT /': [secured(), update],
})
