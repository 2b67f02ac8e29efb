import type { JobRun } from '../jobs/job.ts'
import { Unrecoverable } from '../jobs/unrecoverable.ts'
import { renderMail, type OutgoingMail } from './render-mail.ts'
import { openSeal, type SealedMail } from './sealed-mail.ts'
import { mailSettings, type MailSettings } from './use-mail.ts'
import { storeDelivered } from './memory-outbox.ts'
import { storeMail } from './mail-folder.ts'
import { sendBySmtp } from './smtp.ts'

/** Decrypts, renders and delivers a mail of the queue. Discards it if it has expired. */
export async function deliverQueued({ args: queued, id, say, warn }: JobRun<SealedMail>): Promise<void> {
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

/** Delivers a mail to the destination of the settings. Loads nodemailer for servers and folders. */
async function deliver(
  settings: MailSettings,
  mail: OutgoingMail,
  say: (line: string) => void,
): Promise<void> {
  const { protocol } = new URL(settings.url ?? 'none:')
  if (protocol === 'smtp:' || protocol === 'smtps:') await sendBySmtp(settings, mail)
  else if (protocol === 'memory:') storeDelivered(mail)
  else if (protocol === 'file:') {
    await storeMail(settings, mail)
    say(`Mail “${mail.subject}” to ${mail.to.address}: ${settings.inboxUrl ?? ''}/${mail.id}`)
  } else throw new Error('No mail server is configured. Set MAIL__URL, like smtp://user:password@host:587.')
}
