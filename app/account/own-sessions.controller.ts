import {
  flash,
  type Handler,
  NotFound,
  pathTo,
  policyContext,
  recentlyConfirmed,
  recordId,
  routes,
  secured,
} from 'pergola'
import { forgetPolicyContext } from 'pergola/accounts'
import { endSession } from '#app/sessions/session.ts'
import { endOtherSessions, endSessionOf } from '#app/sessions/user-sessions.ts'
import { accountRoutes } from './account.controller.ts'
import { ownSession } from './own-account.ts'

const end: Handler = async (req, res) => {
  const { userId } = await ownSession(req)
  const id = recordId(req.params['id'])
  // Returns the same 404 for a session of another user and for a missing session.
  if (id === null || !(await endSessionOf(userId, id))) throw new NotFound()
  forgetPolicyContext(req)
  if ((await policyContext(req)).session !== null) {
    await flash(req, 'Session ended.')
    return res.redirect(303, pathTo(accountRoutes, 'GET /'))
  }
  await endSession(req)
  await flash(req, 'You are now signed out.')
  res.redirect(303, '/')
}

const endOthers: Handler = async (req, res) => {
  await endOtherSessions(await ownSession(req))
  await flash(req, 'All other browsers are now signed out.')
  res.redirect(303, pathTo(accountRoutes, 'GET /'))
}

// Whoever found an open browser could sign its owner out of all others.
const confirmed = recentlyConfirmed('15 minutes')

export const ownSessionRoutes = routes('/account/sessions', {
  'DELETE /': [secured(), confirmed, endOthers],
  'DELETE /:id': [secured(), confirmed, end],
})
