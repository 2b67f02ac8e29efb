import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Answers a request for a link to an address without an account. */
export const noAccount = mail('no-account', {
  data: z.object({ sign_up: z.url().nullable() }),
  subject: () => 'No account with this address',
  example: { sign_up: 'https://example.org/signup' },
})
