import { type DeclaredResource, pathTo } from 'pergola'
import { jobRoutes } from 'pergola/jobs'
import { acceptanceRoutes } from './account/acceptance.controller.ts'
import { accountRoutes } from './account/account.controller.ts'
import { addressRoutes } from './account/address.controller.ts'
import { checkMailRoutes } from './account/check-mail.controller.ts'
import { confirmationRoutes } from './account/confirmation.controller.ts'
import { deletionRoutes } from './account/deletion.controller.ts'
import { ownSessionRoutes } from './account/own-sessions.controller.ts'
import { passwordResetRoutes } from './account/password-reset.controller.ts'
import { changePasswordRoutes, passwordRoutes } from './account/password.controller.ts'
import { signInLinkRoutes } from './account/sign-in-link.controller.ts'
import { signInRoutes } from './account/sign-in.controller.ts'
import { signUpRoutes } from './account/sign-up.controller.ts'
import { verificationRoutes } from './account/verification.controller.ts'
import { homeRoutes } from './home/home.controller.ts'
import type { Config } from './config.ts'
import { themeRoutes } from './theme/theme.controller.ts'
import { adminGuards } from './users/admin-guards.ts'
import { invitationRoutes } from './users/invitation.controller.ts'

/** Returns the pages that belong to no resource, by the names that views use. */
export const ownPages = (config: Config, resources: readonly DeclaredResource[]) => ({
  homeRoutes: homeRoutes(config, resources),
  signInRoutes: signInRoutes(config),
  ...(config.accounts.sign_up && { signUpRoutes: signUpRoutes(config) }),
  ...(config.accounts.sign_in_by_link && { signInLinkRoutes: signInLinkRoutes(config) }),
  passwordResetRoutes: passwordResetRoutes(config),
  checkMailRoutes: checkMailRoutes(config),
  accountRoutes,
  passwordRoutes: passwordRoutes(config),
  changePasswordRoutes,
  addressRoutes: addressRoutes(config),
  verificationRoutes: verificationRoutes(config),
  acceptanceRoutes,
  confirmationRoutes,
  ownSessionRoutes,
  deletionRoutes,
  themeRoutes,
  backgroundJobRoutes: jobRoutes('/background-jobs', adminGuards),
})

/** The pages that have a link in the navigation, below those of the resources. */
export const navPages = ({ backgroundJobRoutes }: ReturnType<typeof ownPages>) => [
  { routes: { backgroundJobRoutes }, nav: 'Background jobs', navGroup: 'Administration' },
]

/**
 * Returns the paths whose writes hash a password or mail a link. They take the places of sign-in, so that a flood of them
 * leaves other requests theirs. Paths with parameters can't be listed: `POST /users/:id/invitation`, which only admins
 * reach, takes the place of a page.
 */
export const passwordPaths = ({
  signUpRoutes,
  signInLinkRoutes,
  passwordResetRoutes,
  passwordRoutes,
  addressRoutes,
  verificationRoutes,
  acceptanceRoutes,
}: ReturnType<typeof ownPages>) => [
  ...(signUpRoutes ? [pathTo(signUpRoutes, 'POST /'), pathTo(signUpRoutes, 'POST /confirm')] : []),
  ...(signInLinkRoutes
    ? [pathTo(signInLinkRoutes, 'POST /'), pathTo(signInLinkRoutes, 'POST /confirm')]
    : []),
  pathTo(passwordResetRoutes, 'POST /'),
  pathTo(passwordResetRoutes, 'POST /new'),
  pathTo(passwordRoutes, 'PUT /'),
  pathTo(addressRoutes, 'PUT /'),
  pathTo(verificationRoutes, 'POST /'),
  pathTo(acceptanceRoutes, 'POST /'),
  pathTo(invitationRoutes, 'POST /'),
]
