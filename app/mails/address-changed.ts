import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Notifies the former address of an account. */
export const addressChanged = mail('address-changed', {
  data: z.object({ name: z.string() }),
  subject: () => 'Your email address was changed',
  example: { name: 'Alice' },
})
