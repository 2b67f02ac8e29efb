import { z } from 'zod'
import { job } from '../jobs/job.ts'
import { Unrecoverable } from '../jobs/unrecoverable.ts'
import { deliver } from './deliver.ts'
import { renderMail } from './render-mail.ts'
import { openSeal } from './sealed-mail.ts'
import { mailSettings } from './use-mail.ts'

/**
 * The job that delivers a mail, which `send` enqueues. List it in `app/jobs/jobs.ts`. A mail that the server doesn't take is
 * retried for two days or longer. If the server rejects the recipient or the content for good, the mail is a dead letter.
 */
export const sendMail = job('send-mail', {
  args: z.object({ mail: z.string(), sealed: z.string() }),
  retries: 50,
  backoff: '10 seconds',
  timeout: '3 minutes',
  async run({ args, id, say }) {
    const settings = mailSettings()
    const opened = await openSeal(args, settings.secrets())
    if (opened === null)
      throw new Unrecoverable(
        `No secret decrypts this mail. Add the former one to SESSION__SECRET, after a comma, then run npx cli jobs retry ${id}`,
      )
    const mail = settings.mails.find(({ name }) => name === args.mail)
    if (mail === undefined)
      throw new Error(`This version of the application does not send the mail ${args.mail}.`)
    const rendered = await renderMail(settings, mail, opened)
    await deliver(settings, { ...rendered, id }, say)
  },
})
