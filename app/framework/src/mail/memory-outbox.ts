import type { Kysely } from 'kysely'
import type { Tables } from '../resource/tables.ts'
import type { OutgoingMail, RenderedMail } from './render-mail.ts'
import { mailDatabase } from './use-mail.ts'
import { weakMemoize } from '../resource/memoize.ts'

/** A mail that a test has sent. */
export interface SentMail extends Omit<RenderedMail, 'to'> {
  /** The address, without the name. */
  readonly to: string
}

const outboxOf = weakMemoize((_db: Kysely<Tables>): SentMail[] => [])

/** Keeps a mail in the memory of the test. */
export function storeDelivered({ name, to, subject, text, html, data }: OutgoingMail): void {
  outboxOf(mailDatabase()).push({ name, to: to.address, subject, text, html, data })
}

/** Returns the mails that were delivered in this database since the last call. */
export const takeDelivered = (db: Kysely<Tables>): SentMail[] => outboxOf(db).splice(0)
