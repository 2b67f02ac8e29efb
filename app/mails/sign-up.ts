import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Confirms the address of a new account. */
export const signUp = mail('sign-up', {
  data: z.object({ link: z.url() }),
  subject: () => 'Finish your sign-up',
  example: { link: 'https://example.org/link?token=example' },
})
