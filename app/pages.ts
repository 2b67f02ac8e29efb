import { type DeclaredResource, pathTo, type Routes } from 'pergola'
import { type DeclaredPages, routesOfResources } from 'pergola/app'
import { jobRoutes } from 'pergola/jobs'
import type { RoutesIn } from 'pergola/views'
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
import type { Config } from './config.ts'
import { developmentRoutes } from './dev/development-routes.ts'
import { homeRoutes } from './home/home.controller.ts'
import type { resources } from './resources.ts'
import { type themeOf, themeRoutes } from './theme/theme.controller.ts'
import { adminGuards } from './users/admin-guards.ts'
import { invitationRoutes } from './users/invitation.controller.ts'

const backgroundJobRoutes = jobRoutes('/background-jobs', adminGuards)

/** Returns the pages that belong to no resource, by the names that views use. Those with `nav` are in the navigation. */
export const ownPages = ({ accounts }: Config) =>
  [
    {
      routes: {
        homeRoutes,
        signInRoutes,
        ...(accounts.sign_up && { signUpRoutes }),
        ...(accounts.sign_in_by_link && { signInLinkRoutes }),
        passwordResetRoutes,
        checkMailRoutes,
        accountRoutes,
        passwordRoutes,
        changePasswordRoutes,
        addressRoutes,
        verificationRoutes,
        acceptanceRoutes,
        confirmationRoutes,
        ownSessionRoutes,
        deletionRoutes,
        themeRoutes,
      },
    },
    {
      routes: { backgroundJobRoutes },
      nav: 'Background jobs',
      navGroup: 'Administration',
    },
  ] as const satisfies readonly DeclaredPages[]

declare module 'pergola/views' {
  /** What every view has under `it` beside its data. */
  interface ViewContext extends RoutesIn<(typeof resources)[number] | ReturnType<typeof ownPages>[number]> {
    /** The theme that the browser chose. */
    readonly theme: ReturnType<typeof themeOf>
    /** Whether no page returns to this one: its address needs the token of a mail. */
    readonly isLinkPage: boolean
  }
}

/**
 * The paths whose writes hash a password or mail a link. They take the places of sign-in, so that a flood of them leaves
 * other requests theirs. Paths with parameters can't be listed: `POST /users/:id/invitation`, which only admins reach, takes
 * the place of a page.
 */
export const passwordPaths = [
  pathTo(signUpRoutes, 'POST /'),
  pathTo(signUpRoutes, 'POST /confirm'),
  pathTo(signInLinkRoutes, 'POST /'),
  pathTo(signInLinkRoutes, 'POST /confirm'),
  pathTo(passwordResetRoutes, 'POST /'),
  pathTo(passwordResetRoutes, 'POST /new'),
  pathTo(passwordRoutes, 'PUT /'),
  pathTo(addressRoutes, 'PUT /'),
  pathTo(verificationRoutes, 'POST /'),
  pathTo(acceptanceRoutes, 'POST /'),
  pathTo(invitationRoutes, 'POST /'),
]

/** Returns every route as data, to be mounted, or listed without starting a server. */
export function routeTables(config: Config, resources: readonly DeclaredResource[]): Routes[] {
  const tables = routesOfResources([...ownPages(config), ...resources])
  return [...tables, ...developmentRoutes(config, tables, resources)]
}
