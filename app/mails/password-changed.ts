import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Notifies a user of a changed password. */
export const passwordChanged = mail('password-changed', {
  data: z.object({ name: z.string(), reset: z.url() }),
  subject: () => 'Your password was changed',
  example: { name: 'Alice', reset: 'https://example.org/password-reset' },
})
