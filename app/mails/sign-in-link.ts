import { z } from 'zod'
import { mail } from 'pergola/mail'
import { recipientName } from './recipient-name.ts'

/** Signs a user in without a password. */
export const signInLink = mail('sign-in-link', {
  data: z.object({ name: recipientName, link: z.url() }),
  subject: () => 'Your sign-in link',
  example: { name: 'Alice', link: 'https://example.org/link?token=example' },
})
