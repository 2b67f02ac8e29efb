import type { Kysely } from 'kysely'
import type { Tables } from 'pergola'
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from './demo-accounts.ts'
import { verifyPassword } from './password.ts'

/**
 * Returns an error message if a demo account still has its password, which is in the README. Returns null if none has.
 */
export async function openDemoAccount(db: Kysely<Tables>): Promise<string | null> {
  const emails = DEMO_ACCOUNTS.map(({ email }) => email)
  const accounts = await db
    .selectFrom('users')
    .select(['email', 'password_digest'])
    .where('email', 'in', emails)
    .execute()
  for (const { email, password_digest } of accounts) {
    if (await verifyPassword(password_digest, DEMO_PASSWORD))
      return `${email} still has the public demo password. Delete the user or change the password.`
  }
  return null
}
