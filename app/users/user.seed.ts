import { database } from 'pergola'
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from './demo-accounts.ts'
import { hashPassword } from './password.ts'
import { users } from './user.repository.ts'

/** Inserts the demo accounts. */
export async function seedUsers(): Promise<void> {
  const password_digest = await hashPassword(DEMO_PASSWORD)
  const email_verified_at = new Date().toISOString()
  for (const { name, email, roles } of DEMO_ACCOUNTS)
    await users
      .asSystem('seed')
      .insert({ name, email, roles: [...roles], password_digest, email_verified_at })
}

/** Returns the ids of the demo accounts that still exist. */
export async function demoUserIds(): Promise<number[]> {
  const emails = DEMO_ACCOUNTS.map(({ email }) => email)
  const rows = await database()
    .selectFrom('users')
    .select('id')
    .where('email', 'in', emails)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
