import { z } from 'zod'
import { mail } from 'pergola/mail'
import { recipientName } from './recipient-name.ts'

/** Notifies a user of a change by an admin, or that the account is disabled. */
export const accountNotice = mail('account-notice', {
  data: z.object({ name: recipientName, text: z.string() }),
  subject: () => 'A notice about your account',
  example: { name: 'Alice', text: 'Your roles are now: admin.' },
})
