import type { SendMailOptions } from 'nodemailer'
import type { OutgoingMail } from './render-mail.ts'
import { mailboxOf } from './recipients.ts'
import type { MailSettings } from './use-mail.ts'

/** Returns a mail in the form of nodemailer. */
export function compose({ from }: MailSettings, mail: OutgoingMail): SendMailOptions {
  const sender = mailboxOf(from)
  if (sender === null)
    throw new Error(
      'The sender of mails is not an address. Set MAIL__FROM, like Pergola <no-reply@example.org>.',
    )
  const { id, to, subject, text, html } = mail
  return {
    from: sender,
    to,
    subject,
    text,
    html,
    envelope: { from: sender.address, to: [to.address] },
    messageId: `<${id}@${sender.address.split('@')[1]}>`,
    // Asks servers not to answer, for example that the recipient is on holiday.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
