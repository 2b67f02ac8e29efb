import { inTransaction } from 'pergola'
import { areStillValid, type Credentials } from './credentials.ts'
import { hashPassword, isWeakDigest } from './password.ts'
import { users } from './user.repository.ts'

/**
 * Replaces a digest of another algorithm or a lower cost by one at today's cost. Call it with the verified password.
 * Writes nothing if the password was changed since it was verified.
 */
export async function rehash(credentials: Credentials, password: string): Promise<void> {
  if (!isWeakDigest(credentials.password_digest)) return
  const password_digest = await hashPassword(password)
  await inTransaction(async () => {
    if (await areStillValid(credentials))
      await users.asSystem('rehash').update(credentials.id, { password_digest })
  })
}
