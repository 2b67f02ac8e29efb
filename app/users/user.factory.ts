import { DEMO_PASSWORD } from './demo-accounts.ts'
import { hashPassword } from './password.ts'
import { users } from './user.repository.ts'
import type { User } from './user.ts'

let made = 0
let digest: Promise<string> | undefined

/** A user with the demo password; the email is theirs alone, and returned beside the row, which hides it. */
export async function makeUser(
  values: { name?: string; roles?: string[] } = {},
): Promise<User & { email: string }> {
  digest ??= hashPassword(DEMO_PASSWORD)
  const email = `user-${process.pid}-${++made}@example.test`
  const user = await users
    .asSystem('factory')
    .insert({ name: 'Somebody', email, password_digest: await digest, ...values })
  return { ...user, email }
}
