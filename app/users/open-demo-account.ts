import type { Kysely } from 'kysely'
import type { Tables } from 'pergola'
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from './demo-accounts.ts'
import { passwordFits } from './password.ts'

/**
 * A sentence about an account of the demo that still has its password: whoever reads the README could sign in. Null
 * where there is none.
 */
export async function openDemoAccount(db: Kysely<Tables>): Promise<string | null> {
  const emails = DEMO_ACCOUNTS.map(({ email }) => email)
  const found = await db
    .selectFrom('users')
    .select(['email', 'password_digest'])
    .where('email', 'in', emails)
    .execute()
  for (const { email, password_digest } of found) {
    if (await passwordFits(password_digest, DEMO_PASSWORD))
      return `${email} has the password that everybody knows. Delete this user, or change it.`
  }
  return null
}
