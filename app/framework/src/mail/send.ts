import { inTransaction } from '../database/transaction.ts'
import { enqueue, type EnqueueOptions } from '../jobs/enqueue.ts'
import { storedData } from './mail-data.ts'
import type { AnyMail, Mail } from './mail.ts'
import { checkedRecipients, type Recipient } from './recipients.ts'
import { seal } from './sealed-mail.ts'
import { sendMail } from './send-mail.ts'
import { mailSettings } from './use-mail.ts'

/** The recipients and the data of a mail. */
export interface MailContent<Input> {
  /** One recipient, or up to 50: each receives a separate mail, and doesn't see the others. */
  to: Recipient | readonly Recipient[]
  data: Input
}

/** When a mail is delivered, and whether it is enqueued. */
export type SendOptions = EnqueueOptions & {
  /** Discards the mail if it was not delivered by this time, such as the expiry of its link. */
  expiresAt?: Date
}

/**
 * Enqueues a mail, which `cli worker` delivers. Within `inTransaction` the mail is part of the transaction: a rollback
 * removes it. The queue contains the name of the mail; recipients and data are encrypted. Costs an insert for each
 * recipient. The options are `expiresAt` and those of `enqueue`; each mail has keys of its own.
 *
 * Throws if the mail is not listed, if an address, a name or the subject is not valid in a mail, or if the data doesn't fit
 * the schema. Errors contain neither addresses nor data.
 *
 * ```ts
 * await send(passwordReset, { to: user.email, data: { name: user.name, link } }, { expiresAt })
 * ```
 */
export async function send<Input extends object>(
  mail: Mail<Input>,
  { to, data }: MailContent<Input>,
  { expiresAt, ...options }: SendOptions = {},
): Promise<void> {
  const { mails, secrets } = mailSettings()
  if (!mails.includes(mail))
    throw new Error(
      `This application does not send the mail ${mail.name}. List it in app/mails/mails.ts, and let mailsOf return it.`,
    )
  const recipients = checkedRecipients(to)
  const stored = storedData(mail, data)
  if (recipients.length > 1 && options.key !== undefined)
    throw new Error('A key needs a single recipient. Call send for each recipient with a key of its own.')
  const jobOptions = withKeyOf(mail, options)
  const expires_at = expiresAt?.toISOString() ?? null
  const queued = recipients.map((to) => ({ mail: mail.name, to, data: stored, expires_at }))
  const seals = await Promise.all(queued.map((each) => seal(each, secrets())))
  const enqueueAll = async () => {
    for (const sealed of seals) await enqueue(sendMail, { mail: mail.name, sealed }, jobOptions)
  }
  // All or none: a second call would repeat those that were enqueued.
  await (seals.length === 1 ? enqueueAll() : inTransaction(enqueueAll))
}

/** Adds the name of the mail to the key, `["welcome","7"]`, because all mails are jobs with the same name. */
const withKeyOf = ({ name }: AnyMail, options: EnqueueOptions): EnqueueOptions =>
  options.key === undefined ? options : { ...options, key: JSON.stringify([name, options.key]) }
