import { sql } from 'kysely'
import { database, network, TooManyRequests } from 'pergola'

export interface AttemptTable {
  /** The counted action and its subject, like `sign-in to alice@example.org`. */
  key: string
  attempts: number
  expires_at: string
}

declare module 'pergola' {
  interface Tables {
    attempts: AttemptTable
  }
}

interface Limit {
  attempts: number
  minutes: number
}

const SIGN_INS_FROM_ADDRESS: Limit = { attempts: 20, minutes: 15 }
const SIGN_INS_TO_ACCOUNT: Limit = { attempts: 5, minutes: 15 }
const SIGN_UPS_FROM_ADDRESS: Limit = { attempts: 10, minutes: 60 }

/**
 * Counts a sign-in attempt before the password is checked, so that concurrent attempts are all counted. Throws
 * `TooManyRequests`. Call `forgive` after a success to subtract the attempt, so that only failures count.
 */
export async function countSignIn(
  address: string,
  account: string,
): Promise<{ forgive: () => Promise<void> }> {
  const fromAddress = `sign-in from ${network(address)}`
  const toAccount = `sign-in to ${account}`
  await count(fromAddress, SIGN_INS_FROM_ADDRESS)
  await count(toAccount, SIGN_INS_TO_ACCOUNT)
  return {
    async forgive() {
      const attempts = database()
        .updateTable('attempts')
        .set((is) => ({ attempts: is('attempts', '-', 1) }))
      await attempts.where('key', '=', fromAddress).execute()
      const expired = database().deleteFrom('attempts')
      await expired.where((is) => is.or([is('key', '=', toAccount), hasExpired])).execute()
    },
  }
}

/**
 * Returns the error if it is a `TooManyRequests`, so that a form can show it. Rethrows any other error. For use in
 * `catch`.
 */
export function asTooManyRequests(error: unknown): TooManyRequests {
  if (error instanceof TooManyRequests) return error
  throw error
}

/** Counts a sign-up, even if it fails, because the response reveals whether an account exists. Throws `TooManyRequests`. */
export const countSignUp = (address: string): Promise<void> =>
  count(`sign-up from ${network(address)}`, SIGN_UPS_FROM_ADDRESS)

export const hasExpired = sql<boolean>`attempts.expires_at <= now()`

async function count(key: string, limit: Limit): Promise<void> {
  const { attempts, seconds } = await database()
    .insertInto('attempts')
    .values({ key, attempts: 1, expires_at: sql`now() + make_interval(mins => ${limit.minutes})` })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        attempts: sql`case when ${hasExpired} then 1 else attempts.attempts + 1 end`,
        expires_at: sql`case when ${hasExpired} then excluded.expires_at else attempts.expires_at end`,
      }),
    )
    .returning(['attempts', sql<number>`ceil(extract(epoch from expires_at - now()))::int`.as('seconds')])
    .executeTakeFirstOrThrow()
  if (attempts > limit.attempts) throw new TooManyRequests(Math.max(seconds, 1))
}
