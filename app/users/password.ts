import { randomBytes } from 'node:crypto'
import type * as argon2 from '@node-rs/argon2'
import pLimit from 'p-limit'
import { z } from 'zod'
import { Unavailable } from 'pergola'
import { isPredictable } from './predictable-password.ts'

/** The minimum of NIST SP 800-63B-4 for a password that is the only factor. */
const SHORTEST = 15
/** Four times the length that the guideline asks for. */
const LONGEST = 256

/** A submitted password that is compared with a stored one. Its length is limited, because it is normalized and hashed. */
export const submittedPassword = z
  .string()
  .max(4 * LONGEST, { error: `Use ${LONGEST} characters or fewer.`, abort: true })

/** The rules for a new password. All characters are allowed, and none is required. */
export const newPassword = submittedPassword
  .refine((password) => lengthOf(password) >= SHORTEST, `Use ${SHORTEST} characters or more.`)
  .refine((password) => lengthOf(password) <= LONGEST, {
    error: `Use ${LONGEST} characters or fewer.`,
    abort: true,
  })
  .refine((password) => !password.includes('\0'), 'Use no NUL characters.')
  .refine(
    (password) => !isPredictable(comparable(password)),
    'This password is easy to guess. Use another one.',
  )

/** Returns the number of code points, so that a letter with an accent counts once on every keyboard. */
const lengthOf = (password: string): number => Array.from(normal(password)).length

/** Returns whether a new password consists of these texts, of their words, and of little else. */
export function consistsOf(password: string, texts: readonly string[]): boolean {
  const own = comparable(password)
  const words = texts.map(comparable).flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
  const found = words.filter((word) => Array.from(word).length >= SHORTEST_WORD && own.includes(word))
  return found.length > 0 && isPredictable(own, found)
}

/** Shorter words are a part of many others. */
const SHORTEST_WORD = 3

/** OWASP's minimum for argon2id, the library's default algorithm: 19 MiB, two passes, one lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Loads the library with the first password: it takes 3 MB, and commands hash none. */
export const loadHashing = (): Promise<typeof argon2> => (hashing ??= import('@node-rs/argon2'))
let hashing: Promise<typeof argon2> | undefined

// Each hash takes a thread and 19 MiB: without a limit, a burst of sign-ins would starve other requests. A request that
// waits for its hash keeps its place, and a process has places for twelve requests or more.
const limit = pLimit(2)
const MAX_WAITING = 8

/** Returns the argon2id hash of a password in PHC format. Throws `Unavailable` if too many passwords are queued. */
export const hashPassword = (password: string): Promise<string> =>
  limited(async () => (await loadHashing()).hash(normal(password), COST))

/**
 * Returns the digest of no known password, for users who have none: it has the form and the cost of the others, and its
 * bytes are random. Costs no hash.
 */
export function randomDigest(): string {
  const { memoryCost, timeCost, parallelism } = COST
  const [salt, key] = [16, 32].map((length) => randomBytes(length).toString('base64').replace(/=+$/, ''))
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${salt}$${key}`
}

const DUMMY_DIGEST = randomDigest()

/** Returns whether the password matches. Without a digest (unknown address) it does the same work and returns false. */
export async function verifyPassword(digest: string | undefined, password: string): Promise<boolean> {
  const matches = await limited(async () => {
    const { verify } = await loadHashing()
    return verify(digest ?? DUMMY_DIGEST, normal(password))
  })
  return matches && digest !== undefined
}

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
