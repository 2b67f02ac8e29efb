import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import { z } from 'zod'
import { Unavailable } from 'pergola'

/** What a new password must be. */
export const newPassword = z
  .string()
  .min(10, 'Use ten characters or more.')
  .max(256, 'Use 256 characters or fewer.')

/** OWASP's floor for argon2id: 19 MiB, two passes, one lane. argon2id is the library's default algorithm. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Each hash takes a thread and 19 MiB: with no limit, a burst of sign-ins would starve everything else.
const atOnce = pLimit(2)
const MAX_WAITING = 50

/** argon2id of a password, in the PHC format. Throws `Unavailable` when too many wait. */
export const hashPassword = (password: string): Promise<string> => limited(() => hash(normal(password), COST))

/** A digest at the same cost that no password of anybody's has. */
const STAND_IN =
  '$argon2id$v=19$m=19456,t=2,p=1$RBR4SJD7Ublnd9qJEy3XyQ$bxkR8wMeerHiN+4SlfErUO6u8AsRVY7lXY//6QvTgk8'

/** Whether the password fits. Without a digest, for nobody has that address, the same work is done and the answer is no. */
export async function passwordFits(digest: string | undefined, password: string): Promise<boolean> {
  const fits = await limited(() => verify(digest ?? STAND_IN, normal(password)))
  return fits && digest !== undefined
}

const normal = (password: string) => password.normalize('NFKC')

function limited<Result>(work: () => Promise<Result>): Promise<Result> {
  if (atOnce.pendingCount >= MAX_WAITING) throw new Unavailable('too many passwords are being hashed')
  return atOnce(work)
}
