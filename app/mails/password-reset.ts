import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Lets a user choose a new password. */
export const passwordReset = mail('password-reset', {
  data: z.object({ name: z.string(), link: z.url() }),
  subject: () => 'Set a new password',
  example: { name: 'Alice', link: 'https://example.org/link?token=example' },
})
