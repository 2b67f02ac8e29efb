import type { AnyMail } from 'pergola/mail'
import type { Config } from '#app/config.ts'

/** The mails of the application, in alphabetical order. */
export const mails: readonly AnyMail[] = []

/**
 * Returns the mails that are sent with these settings. Production doesn't start without a mail server unless this list is
 * empty: filter out the mails of features that are switched off.
 */
export const mailsOf = (_config: Config): readonly AnyMail[] => mails
