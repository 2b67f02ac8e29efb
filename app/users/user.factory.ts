import { DEMO_PASSWORD } from './demo-accounts.ts'
import { hashPassword } from './password.ts'
import { users } from './user.repository.ts'
import type { User } from './user.ts'

let sequence = 0
let digest: Promise<string> | undefined

interface UserValues {
  name?: string
  roles?: string[]
  /** Whether the email address is verified; defaults to true. */
  verified?: boolean
}

/** Inserts a user with the demo password and a unique email. Also returns the email, which rows don't contain. */
export async function makeUser({ verified = true, ...values }: UserValues = {}): Promise<
  User & { email: string }
> {
  digest ??= hashPassword(DEMO_PASSWORD)
  const email = `user-${process.pid}-${++sequence}@example.test`
  const user = await users.asSystem('factory').insert({
    name: 'Test User',
    email,
    password_digest: await digest,
    ...(verified && { email_verified_at: new Date().toISOString() }),
    ...values,
  })
  return { ...user, email }
}
