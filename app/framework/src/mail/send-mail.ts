import { z } from 'zod'
import { job } from '../jobs/job.ts'

/**
 * The job that delivers a mail, which `send` enqueues. List it in `app/jobs/jobs.ts`. A mail that the server doesn't take is
 * retried for two days or more. If the server rejects the recipient or the content for good, the mail is a dead letter.
 * A mail that has expired is discarded.
 */
export const sendMail = job('send-mail', {
  args: z.object({ mail: z.string(), sealed: z.string() }),
  // With `backoff`, two to four days.
  retries: 60,
  backoff: '10 seconds',
  timeout: '3 minutes',
  async run(run) {
    // Loaded by workers only.
    const { deliverQueued } = await import('./deliver-queued.ts')
    await deliverQueued(run)
  },
})
