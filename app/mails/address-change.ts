import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Confirms the new address of an account. */
export const addressChange = mail('address-change', {
  data: z.object({ link: z.url() }),
  subject: () => 'Confirm your new email address',
  example: { link: 'https://example.org/link?token=example' },
})
