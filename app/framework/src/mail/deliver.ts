import { storeDelivered } from './memory-outbox.ts'
import { storeMail } from './mail-folder.ts'
import type { OutgoingMail } from './render-mail.ts'
import { sendBySmtp } from './smtp.ts'
import type { MailSettings } from './use-mail.ts'

/** Delivers a mail to the destination of the settings. Loads nodemailer for servers and folders. */
export async function deliver(
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
