import { z } from 'zod'
import { mail } from 'pergola/mail'
import { recipientName } from './recipient-name.ts'

/** Answers a sign-up with the address of an existing account. */
export const accountExists = mail('account-exists', {
  data: z.object({ name: recipientName, sign_in: z.url(), link: z.url() }),
  subject: () => 'You already have an account',
  example: {
    name: 'Alice',
    sign_in: 'https://example.org/login',
    link: 'https://example.org/link?token=example',
  },
})
