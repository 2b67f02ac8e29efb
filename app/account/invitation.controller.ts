import { publicRoute, recordEvent, routes } from 'pergola'
import { deleteTokensOf } from '#app/account-tokens/account-tokens.ts'
import { endSessionsOf } from '#app/sessions/user-sessions.ts'
import { users } from '#app/users/user.repository.ts'
import { passwordLink } from './password-link.ts'
import { verifiedNow } from './verified.ts'

const link = passwordLink({
  purpose: 'invitation',
  action: '/invitation',
  title: 'Accept the invitation',
  async store(_req, user, password_digest) {
    await users.asSystem('invitation').update(user.id, { password_digest, ...verifiedNow(user) })
    await recordEvent('address-verified', { actor: user.id, target: user.id })
    // An account that existed before the invitation may belong to another person until the address is verified.
    await endSessionsOf(user.id)
    await deleteTokensOf(user.id)
  },
  message: ({ name }) => `Welcome, ${name}.`,
})

/** The page of the link in an invitation. */
export const acceptanceRoutes = routes('/invitation', {
  'GET /': [publicRoute(), link.show],
  'POST /': [publicRoute(), link.update],
})
