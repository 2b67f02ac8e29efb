import type { Request } from 'express'
import { afterCommit, database } from 'pergola'
import { type Mail, send } from 'pergola/mail'

interface Notice<Data extends object> {
  readonly mail: Mail<Data>
  readonly data: Omit<Data, 'name'>
}

/**
 * Mails a notice to a user after the transaction, by name, if the address is verified: another one may belong to a stranger.
 * A notice that can't be stored is logged, and stops nothing.
 */
export function notifyUser<Data extends { name: string }>(
  req: Request,
  userId: number,
  notice: Notice<Data>,
): Promise<void> {
  return afterCommit(() =>
    sendNotice(userId, notice).catch((error: unknown) =>
      req.log.error({ err: error }, 'a notice was not sent'),
    ),
  )
}

async function sendNotice<Data extends { name: string }>(userId: number, { mail, data }: Notice<Data>) {
  const user = await database()
    .selectFrom('users')
    .select(['name', 'email'])
    .where('id', '=', userId)
    .where('email_verified_at', 'is not', null)
    .executeTakeFirst()
  if (user !== undefined) await send(mail, { to: user.email, data: { name: user.name, ...data } as Data })
}
