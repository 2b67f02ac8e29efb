import { publicRoute, routes } from 'pergola'
import { passwordLink } from './password-link.ts'
import { takeOver } from './take-over.ts'

const link = passwordLink({
  purpose: 'invitation',
  action: '/invitation',
  title: 'Accept the invitation',
  hint: '15 characters or more.',
  store: (_req, user, values) => takeOver(user, values),
  message: ({ name }) => `Welcome, ${name}.`,
  invalid: 'If your invitation has expired, ask for a new one: its name and its roles have expired with it.',
})

/** The page of the link in an invitation. */
export const acceptanceRoutes = routes('/invitation', {
  'GET /': [publicRoute(), link.show],
  'POST /': [publicRoute(), link.update],
})
