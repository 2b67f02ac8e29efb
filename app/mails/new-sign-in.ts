import { z } from 'zod'
import { mail } from 'pergola/mail'

/** Notifies a user of a sign-in from a new browser. */
export const newSignIn = mail('new-sign-in', {
  data: z.object({ name: z.string(), browser: z.string(), time: z.string(), sessions: z.url() }),
  subject: () => 'New sign-in to your account',
  example: {
    name: 'Alice',
    browser: 'Firefox on Linux',
    time: 'Mon, 23 Nov 2026 04:35:10 GMT',
    sessions: 'https://example.org/account',
  },
})
