import { publicRoute, recordEvent, routes } from 'pergola'
import type { Config } from '#app/config.ts'
import { users } from '#app/users/user.repository.ts'
import { linkForm } from './link-form.ts'
import { afterPasswordChange } from './password-change.ts'
import { passwordLink } from './password-link.ts'
import { verifiedNow } from './verified.ts'

/** The routes of a forgotten password: the form for the address, and the page of the link. */
export function passwordResetRoutes(config: Config) {
  const form = linkForm(config, 'password', 'account/forgotten_password')

  const link = passwordLink({
    purpose: 'password',
    action: '/password-reset/new',
    title: 'Set a new password',
    async store(req, user, password_digest) {
      await users.asSystem('password-reset').update(user.id, { password_digest, ...verifiedNow(user) })
      if (!user.isVerified) await recordEvent('address-verified', { actor: user.id, target: user.id })
      await afterPasswordChange(config, req, user.id)
    },
    message: () => 'Password changed. You are now signed in, and signed out in all other browsers.',
  })

  return routes('/password-reset', {
    'GET /': [publicRoute(), form.show],
    'POST /': [publicRoute(), form.create],
    'GET /new': [publicRoute(), link.show],
    'POST /new': [publicRoute(), link.update],
  })
}
