import { database } from 'pergola'

/** Returns the id of the user with this email address, in lower case. Returns null if no such user exists. */
export async function accountId(email: string): Promise<number | null> {
  const user = await database().selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()
  return user?.id ?? null
}
