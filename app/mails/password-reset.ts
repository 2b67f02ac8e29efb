import { z } from 'zod'
import { mail } from 'pergola/mail'
import { recipientName } from './recipient-name.ts'

/** Lets a user choose a new password. */
export const passwordReset = mail('password-reset', {
  data: z.object({ name: recipientName, link: z.url() }),
  subject: () => 'Set a new password',
  example: { name: 'Alice', link: 'https://example.org/link?token=example' },
})
