import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Confirms the address of an account. */
export const verification = mail('verification', {
  data: z.object({ name: z.string(), link: z.url() }),
  subject: () => 'Confirm your email address',
  example: { name: 'Alice', link: 'https://example.org/link?token=example' },
})
