import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Confirms the address of an account. */
export const verification = mail('verification', {
  data: z.object({ link: z.url() }),
  subject: () => 'Confirm your email address',
  example: { link: 'https://example.org/link?token=example' },
})
