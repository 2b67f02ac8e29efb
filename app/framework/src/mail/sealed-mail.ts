import { loadIronSession } from '../http/server-packages.ts'
import type { Mailbox } from './recipients.ts'

/** A mail in the queue, decrypted. */
export interface QueuedMail {
  /** The name of the mail, which a reader of the queue may see. */
  readonly mail: string
  readonly to: Mailbox
  readonly data: object
  /** RFC 3339 text. Null or absent: never. */
  readonly expires_at?: string | null
}

/** Seals for mails open nothing else. No cookie can have this name. */
const passwordOf = (secret: string) => ({ 1: `mail/data ${secret}` })

/** Encrypts a mail for the queue: its data may contain links that sign a user in. The seal doesn't expire. */
export function seal(queued: QueuedMail, [secret = '']: readonly string[]): Promise<string> {
  return loadIronSession().sealData(queued, { password: passwordOf(secret), ttl: 0 })
}

/** The arguments of the job `send-mail`. */
export interface SealedMail {
  /** The name of the mail. */
  readonly mail: string
  readonly sealed: string
}

/** Decrypts a mail. Returns null if no secret opens the seal, or if it is the seal of another mail. */
export async function openSeal(
  { mail, sealed }: SealedMail,
  secrets: readonly string[],
): Promise<QueuedMail | null> {
  for (const secret of secrets) {
    const opened = await loadIronSession().unsealData<QueuedMail>(sealed, {
      password: passwordOf(secret),
      ttl: 0,
    })
    if (opened.mail === mail) return opened
  }
  return null
}
