import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Tells a user that the password was changed. */
export const passwordChanged = mail('password-changed', {
  data: z.object({ name: z.string(), reset: z.url() }),
  subject: () => 'Your password was changed',
  example: { name: 'Alice', reset: 'https://example.org/password-reset' },
})
