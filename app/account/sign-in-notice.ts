import type { Request } from 'express'
import { absoluteUrl } from '#app/account-tokens/links.ts'
import { configOf } from '#app/config-of.ts'
import { newSignIn } from '#app/mails/new-sign-in.ts'
import { notifyAfterwards, notifyUser } from '#app/mails/notify-user.ts'
import { browserName } from '#app/sessions/browser-name.ts'

/** Mails the user about a sign-in from a new browser, unless `accounts.sign_in_notices` is false. */
export async function notifyOfSignIn(req: Request, userId: number): Promise<void> {
  if (!configOf(req).accounts.sign_in_notices) return
  const data = {
    browser: browserName(req.get('user-agent') ?? ''),
    time: new Date().toUTCString(),
    sessions: absoluteUrl(req, '/account'),
  }
  await notifyAfterwards(req, () => notifyUser(userId, newSignIn, data))
}
