import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Signs a user in without a password. */
export const signInLink = mail('sign-in-link', {
  data: z.object({ name: z.string(), link: z.url() }),
  subject: () => 'Your sign-in link',
  example: { name: 'Alice', link: 'https://example.org/link?token=example' },
})
