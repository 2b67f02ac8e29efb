import type { Request } from 'express'
import { recordEvent } from 'pergola/accounts'
import { deleteTokensOf } from '#app/account-tokens/account-tokens.ts'
import { absoluteUrl } from '#app/account-tokens/links.ts'
import { notifyAfterwards, notifyUser } from '#app/mails/notify-user.ts'
import { passwordChanged } from '#app/mails/password-changed.ts'
import { endSessionsOf } from '#app/sessions/user-sessions.ts'

/**
 * Ends all sessions of the user, deletes the tokens of links, records the event and mails a notice. Call it in the
 * transaction of the change, after the update.
 */
export async function afterPasswordChange(req: Request, userId: number): Promise<void> {
  await recordEvent('password-changed', { actor: userId, target: userId })
  await endSessionsOf(userId)
  await deleteTokensOf(userId)
  const reset = absoluteUrl(req, '/password-reset')
  await notifyAfterwards(req, () => notifyUser(userId, passwordChanged, { reset }))
}
