import type { Request } from 'express'
import { afterCommit, database } from 'pergola'
import { type Mail, send } from 'pergola/mail'

/** Mails a notice to a user, by name, if the address is verified: another one may belong to a stranger. */
export async function notifyUser<Data extends { name: string } | { name: string | null }>(
  userId: number,
  notice: Mail<Data>,
  data: Omit<Data, 'name'>,
): Promise<void> {
  const user = await database()
    .selectFrom('users')
    .select(['name', 'email'])
    .where('id', '=', userId)
    .where('email_verified_at', 'is not', null)
    .executeTakeFirst()
  if (user !== undefined) await send(notice, { to: user.email, data: { name: user.name, ...data } as Data })
}

/** Calls `notify` after the transaction. A notice that can't be stored is logged, and stops nothing. */
export const notifyAfterwards = (req: Request, notify: () => Promise<void>): Promise<void> =>
  afterCommit(() =>
    notify().catch((error: unknown) => req.log.error({ err: error }, 'a notice was not sent')),
  )
