import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Confirms the new address of an account. */
export const addressChange = mail('address-change', {
  data: z.object({ name: z.string(), link: z.url() }),
  subject: () => 'Confirm your new email address',
  example: { name: 'Alice', link: 'https://example.org/link?token=example' },
})
