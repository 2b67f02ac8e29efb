import { Unrecoverable } from '../jobs/unrecoverable.ts'
import { deliver } from './deliver.ts'
import { renderMail } from './render-mail.ts'
import { openSeal, type SealedMail } from './sealed-mail.ts'
import { mailSettings } from './use-mail.ts'

interface Attempt {
  /** The id of the job. */
  readonly id: string
  readonly say: (line: string) => void
  readonly warn: (line: string) => void
}

/** Decrypts, renders and delivers a mail of the queue. Discards it if it has expired. */
export async function deliverQueued(queued: SealedMail, { id, say, warn }: Attempt): Promise<void> {
  const settings = mailSettings()
  const opened = await openSeal(queued, settings.secrets())
  if (opened === null)
    throw new Unrecoverable(
      `No secret decrypts this mail. Add the former one to SESSION__SECRET, after a comma, then run npx cli jobs retry ${id}`,
    )
  const { expires_at = null } = opened
  if (expires_at !== null && Date.parse(expires_at) <= Date.now())
    return warn(`The mail ${queued.mail} was discarded: it expired at ${expires_at}.`)
  const mail = settings.mails.find(({ name }) => name === queued.mail)
  if (mail === undefined)
    throw new Error(`This version of the application does not send the mail ${queued.mail}.`)
  await deliver(settings, { ...renderMail(settings, mail, opened), id }, say)
}
