import { Unrecoverable } from '../jobs/unrecoverable.ts'
import { deliver } from './deliver.ts'
import { renderMail } from './render-mail.ts'
import { openSeal, type SealedMail } from './sealed-mail.ts'
import { mailSettings } from './use-mail.ts'

interface Attempt {
  /** The id of the job. */
  readonly id: string
  readonly say: (line: string) => void
}

/** Decrypts, renders and delivers a mail of the queue. */
export async function deliverQueued(queued: SealedMail, { id, say }: Attempt): Promise<void> {
  const settings = mailSettings()
  const opened = await openSeal(queued, settings.secrets())
  if (opened === null)
    throw new Unrecoverable(
      `No secret decrypts this mail. Add the former one to SESSION__SECRET, after a comma, then run npx cli jobs retry ${id}`,
    )
  const mail = settings.mails.find(({ name }) => name === queued.mail)
  if (mail === undefined)
    throw new Error(`This version of the application does not send the mail ${queued.mail}.`)
  await deliver(settings, { ...renderMail(settings, mail, opened), id }, say)
}
