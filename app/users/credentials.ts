import { database } from 'pergola'

/** What a password was found right by. */
export interface Credentials {
  id: number
  password_digest: string
}

/**
 * Whether they still hold: a password takes a while to check, and meanwhile the user may be disabled or the password
 * changed. Keeps both from happening until the transaction ends.
 */
export async function stillHold({ id, password_digest }: Credentials): Promise<boolean> {
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
