import type { AnyMail } from 'pergola/mail'
import type { Config } from '#app/config.ts'
import { accountExists } from './account-exists.ts'
import { accountNotice } from './account-notice.ts'
import { addressChange } from './address-change.ts'
import { addressChanged } from './address-changed.ts'
import { addressTaken } from './address-taken.ts'
import { invitation } from './invitation.ts'
import { newSignIn } from './new-sign-in.ts'
import { noAccount } from './no-account.ts'
import { passwordChanged } from './password-changed.ts'
import { passwordReset } from './password-reset.ts'
import { signInLink } from './sign-in-link.ts'
import { signUp } from './sign-up.ts'
import { verification } from './verification.ts'

/** The mails of the application, in alphabetical order. */
export const mails: readonly AnyMail[] = [
  accountExists,
  accountNotice,
  addressChange,
  addressChanged,
  addressTaken,
  invitation,
  newSignIn,
  noAccount,
  passwordChanged,
  passwordReset,
  signInLink,
  signUp,
  verification,
]

/**
 * Returns the mails that are sent with these settings. Production doesn't start without a mail server unless this list is
 * empty: filter out the mails of features that are switched off.
 */
export const mailsOf = (_config: Config): readonly AnyMail[] => mails
