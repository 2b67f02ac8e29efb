import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Answers a change to the address of another account. */
export const addressTaken = mail('address-taken', {
  data: z.object({ sign_in: z.url(), reset: z.url() }),
  subject: () => 'This address already has an account',
  example: { sign_in: 'https://example.org/login', reset: 'https://example.org/password-reset' },
})
