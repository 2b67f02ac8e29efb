import type { Kysely } from 'kysely'
import { databaseContext } from '../database/executor.ts'
import type { Tables } from '../resource/tables.ts'
import type { AnyMail } from './mail.ts'

/** The options of `useMail`. */
export interface MailSettings {
  /** The mails that the application sends. */
  readonly mails: readonly AnyMail[]
  /**
   * The destination of mails: `smtp://user:password@host:587` with STARTTLS, `smtps://…`, a folder as `file:///…`, or
   * `memory:` for tests. Without it, no mail can be delivered.
   */
  readonly url: string | null
  /** The sender: `Pergola <no-reply@example.org>`. */
  readonly from: string
  /** Milliseconds in which the server must accept a connection, and respond to each command. */
  readonly timeout: number
  /** Returns the secrets that encrypt mails in the queue; 32 characters or more. The first encrypts, all decrypt. */
  readonly secrets: () => readonly string[]
  /** The application's name, which templates have as `it.appName`. */
  readonly appName: string
  /** The folder of the application's views. The templates are in `mails`. */
  readonly views: string
  /** Reads templates again for every mail. */
  readonly development: boolean
  /** The address of `mailRoutes`, for the line that is logged for each mail in a folder. */
  readonly inboxUrl?: string
}

const settingsByDatabase = new WeakMap<Kysely<Tables>, MailSettings>()

/**
 * Sets how the code that uses this database sends mails. A process that sends and one that delivers need it. Costs
 * nothing until a mail is sent.
 */
export function useMail(db: Kysely<Tables>, settings: MailSettings): void {
  settingsByDatabase.set(db, settings)
}

/** Returns the settings of the running code's database. Throws if `useMail` was not called. */
export function mailSettings(): MailSettings {
  const settings = settingsByDatabase.get(mailDatabase())
  if (settings === undefined)
    throw new Error('This database has no settings for mails. Call useMail(db, …) first.')
  return settings
}

/** Returns the running code's database, also in a transaction. */
export const mailDatabase = (): Kysely<Tables> => databaseContext().unit.db
