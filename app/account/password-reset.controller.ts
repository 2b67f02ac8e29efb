import { publicRoute, routes } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { users } from '#app/users/user.repository.ts'
import { linkForm } from './link-form.ts'
import { afterPasswordChange } from './password-change.ts'
import { passwordLink } from './password-link.ts'
import { takeOver } from './take-over.ts'

const form = linkForm('password', 'account/forgotten_password')

const link = passwordLink({
  purpose: 'password',
  action: '/password-reset/new',
  title: 'Set a new password',
  hint: '15 characters or more. All other browsers will be signed out.',
  async store(req, user, values) {
    if (user.isVerified) {
      const { password_digest } = values
      await users.asSystem('password-reset').update(user.id, { password_digest })
      await afterPasswordChange(req, user.id)
    } else {
      await takeOver(user, values)
      await recordEvent('password-changed', { actor: user.id, target: user.id })
    }
  },
  message: () => 'Password changed. You are now signed in, and signed out in all other browsers.',
})

/** The routes of a forgotten password: the form for the address, and the page of the link. */
export const passwordResetRoutes = routes('/password-reset', {
  'GET /': [publicRoute(), form.show],
  'POST /': [publicRoute(), form.create],
  'GET /new': [publicRoute(), link.show],
  'POST /new': [publicRoute(), link.update],
})
