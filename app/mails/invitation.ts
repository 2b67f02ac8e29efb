import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Lets a user who was invited set the first password. */
export const invitation = mail('invitation', {
  data: z.object({
    name: z.string(),
    /** The name of the admin. Null for an invitation from the command line. */
    inviter: z.string().nullable(),
    link: z.url(),
  }),
  subject: () => 'Your invitation',
  example: { name: 'Alice', inviter: 'Admin', link: 'https://example.org/link?token=example' },
})
