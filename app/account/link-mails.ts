import type { Request } from 'express'
import { database, inTransaction } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { send } from 'pergola/mail'
import { absoluteUrl, linkTo } from '#app/account-tokens/links.ts'
import { createToken } from '#app/account-tokens/account-tokens.ts'
import { configOf } from '#app/config-of.ts'
import { accountExists } from '#app/mails/account-exists.ts'
import { accountNotice } from '#app/mails/account-notice.ts'
import { noAccount } from '#app/mails/no-account.ts'
import { passwordReset } from '#app/mails/password-reset.ts'
import { signInLink } from '#app/mails/sign-in-link.ts'
import { signUp } from '#app/mails/sign-up.ts'
import { nextPath } from './next-path.ts'

/** The form with which a visitor requests a link. */
export type LinkForm = 'sign-up' | 'sign-in' | 'password'

/**
 * Mails a link to the address. Addresses with and without an account get different mails, by the same statements: the
 * response and its time don't reveal which ones have an account.
 */
export async function mailLink(req: Request, form: LinkForm, email: string): Promise<void> {
  await inTransaction(async () => {
    const user = await findByAddress(email)
    await recordEvent('link-requested', { target: user?.id ?? null, detail: form })
    if (user === undefined) await mailStranger(req, form, email)
    else await mailUser(req, form, user)
  })
}

interface Recipient {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly email_verified_at: string | null
  readonly disabled_at: string | null
}

const findByAddress = (email: string): Promise<Recipient | undefined> =>
  database()
    .selectFrom('users')
    .select(['id', 'name', 'email', 'email_verified_at', 'disabled_at'])
    .where('email', '=', email)
    .executeTakeFirst()

async function mailUser(req: Request, form: LinkForm, user: Recipient): Promise<void> {
  const { id, email: to } = user
  const name = user.email_verified_at === null ? null : user.name
  const purpose = form === 'sign-in' ? 'sign-in' : 'password'
  const { token, expiresAt } = await createToken({ purpose, userId: id, address: to })
  const link = linkTo(req, { purpose, token })
  const sign_in = absoluteUrl(req, '/login')
  // By the statements of other users, but without a link, which would not work.
  if (user.disabled_at !== null)
    await send(accountNotice, { to, data: { name, text: DISABLED } }, { expiresAt })
  else if (form === 'sign-up') await send(accountExists, { to, data: { name, sign_in, link } }, { expiresAt })
  else if (form === 'sign-in') await send(signInLink, { to, data: { name, link } }, { expiresAt })
  else await send(passwordReset, { to, data: { name, link } }, { expiresAt })
}

const DISABLED = 'Your account is disabled, so that a link to sign in or to set a password would not work.'

async function mailStranger(req: Request, form: LinkForm, to: string): Promise<void> {
  const purpose = 'sign-up'
  // Every form stores a token, although only one mails it, because a user's request does too.
  const { token, expiresAt } = await createToken({ purpose, userId: null, address: to })
  const returnTo = nextPath(req)
  const sign_up = configOf(req).accounts.sign_up ? absoluteUrl(req, '/signup') : null
  const link = linkTo(req, { purpose, token, returnTo })
  if (form === 'sign-up') await send(signUp, { to, data: { link } }, { expiresAt })
  else await send(noAccount, { to, data: { sign_up } }, { expiresAt })
}
