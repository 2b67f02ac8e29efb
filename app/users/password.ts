import pLimit from 'p-limit'
import { z } from 'zod'
import { Unavailable } from 'pergola'
import { isCommonPassword } from './common-passwords.ts'

/** The minimum of NIST SP 800-63B-4 for a password that is the only factor. */
const SHORTEST = 15
/** Four times the length that the guideline asks for. */
const LONGEST = 256

/** A submitted password that is compared with a stored one. Its length is limited, because it is normalized and hashed. */
export const submittedPassword = z.string().max(4 * LONGEST, `Use ${LONGEST} characters or fewer.`)

/** The rules for a new password. All characters are allowed, and none is required. */
export const newPassword = submittedPassword
  .refine((password) => lengthOf(password) >= SHORTEST, `Use ${SHORTEST} characters or more.`)
  .refine((password) => lengthOf(password) <= LONGEST, `Use ${LONGEST} characters or fewer.`)
  .refine((password) => !password.includes('\0'), 'Use no NUL characters.')
  .refine(
    (password) => !isCommonPassword(comparable(password)),
    'This password is too common. Use another one.',
  )

/** Returns the number of code points, so that a letter with an accent counts once on every keyboard. */
const lengthOf = (password: string): number => Array.from(normal(password)).length

/** The error for a password that `isOwnAddress` returns true for. */
export const OWN_ADDRESS = 'Use a password other than your email address.'

/** Returns whether a password is the user's email address, or the part before the `@`. */
export const isOwnAddress = (password: string, email: string): boolean =>
  [email, email.replace(/@[^@]*$/, '')].map(comparable).includes(comparable(password))

/** OWASP's minimum for argon2id, the library's default algorithm: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Loaded with the first password: it takes 3 MB.
const argon2 = () => import('@node-rs/argon2')

// Each hash takes a thread and 19 MiB: without a limit, a burst of sign-ins would starve other requests. A request that
// waits for its hash keeps its place, and a process has places for twelve requests or more.
const limit = pLimit(2)
const MAX_WAITING = 8

/** Returns the argon2id hash of a password in PHC format. Throws `Unavailable` if too many passwords are queued. */
export const hashPassword = (password: string): Promise<string> =>
  limited(async () => (await argon2()).hash(normal(password), COST))

/** A digest at the same cost that matches no password. */
const DUMMY_DIGEST =
  '$argon2id$v=19$m=19456,t=2,p=1$RBR4SJD7Ublnd9qJEy3XyQ$bxkR8wMeerHiN+4SlfErUO6u8AsRVY7lXY//6QvTgk8'

/** Returns whether the password matches. Without a digest (unknown address) it does the same work and returns false. */
export async function verifyPassword(digest: string | undefined, password: string): Promise<boolean> {
  const matches = await limited(async () => {
    const { verify } = await argon2()
    for (const form of formsOf(password)) if (await verify(digest ?? DUMMY_DIGEST, form)) return true
    return false
  })
  return matches && digest !== undefined
}

/** Returns the texts whose digest may be stored: digests of earlier versions are of the form NFKC. */
const formsOf = (password: string): Set<string> => new Set([normal(password), password.normalize('NFKC')])

/** Keyboards send one character for `é` or two. Unlike NFKC, NFC keeps the characters that look different. */
const normal = (password: string) => password.normalize('NFC')
const comparable = (text: string) => text.normalize('NFKC').toLowerCase()

/** Returns whether a digest is of another algorithm than argon2id, or of a lower cost than that of new digests. */
export function isWeakDigest(digest: string): boolean {
  const [, memory, time] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),/.exec(digest) ?? []
  return Number(memory ?? 0) < COST.memoryCost || Number(time ?? 0) < COST.timeCost
}

function limited<Result>(work: () => Promise<Result>): Promise<Result> {
  if (limit.pendingCount >= MAX_WAITING) throw new Unavailable('too many passwords are being hashed')
  return limit(work)
}
