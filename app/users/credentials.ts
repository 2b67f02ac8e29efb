import { database } from 'pergola'

/** A user and the digest that their password was verified against. */
export interface Credentials {
  id: number
  password_digest: string
}

/**
 * Returns whether the user is still enabled and the password unchanged: both can change while a password is hashed.
 * Locks the user's row, so that neither can change before the transaction ends.
 */
export async function areStillValid({ id, password_digest }: Credentials): Promise<boolean> {
  const user = await database()
    .selectFrom('users')
    .select('id')
    .where('id', '=', id)
    .where('password_digest', '=', password_digest)
    .where('disabled_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return user !== undefined
}
