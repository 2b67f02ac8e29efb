import { sql } from 'kysely'
import { database, TooManyRequests } from '#framework'

export interface SignInFailuresTable {
  key: string
  failures: number
  expires_at: string
}

declare module '#framework' {
  interface Tables {
    sign_in_failures: SignInFailuresTable
  }
}

/** Failures in a quarter of an hour: from one address, of one account. */
const PER_ADDRESS = 20
const PER_ACCOUNT = 5

/**
 * Counts an attempt before it is made, so that attempts at the same moment can't slip through together.
 * Throws `TooManyRequests`. `forgive` takes it back once it succeeded.
 */
export async function countAttempt(
  address: string,
  account: string,
): Promise<{ forgive: () => Promise<void> }> {
  const addressKey = `address:${network(address)}`
  const accountKey = `account:${account}`
  await count(addressKey, PER_ADDRESS)
  await count(accountKey, PER_ACCOUNT)
  return {
    async forgive() {
      await database().deleteFrom('sign_in_failures').where('key', '=', accountKey).execute()
      await database()
        .updateTable('sign_in_failures')
        .set((is) => ({ failures: is('failures', '-', 1) }))
        .where('key', '=', addressKey)
        .execute()
    },
  }
}

async function count(key: string, limit: number): Promise<void> {
  const expired = sql<boolean>`sign_in_failures.expires_at <= now()`
  const { failures, seconds } = await database()
    .insertInto('sign_in_failures')
    .values({ key, failures: 1, expires_at: sql`now() + interval '15 minutes'` })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        failures: sql`case when ${expired} then 1 else sign_in_failures.failures + 1 end`,
        expires_at: sql`case when ${expired} then excluded.expires_at else sign_in_failures.expires_at end`,
      }),
    )
    .returning(['failures', sql<number>`ceil(extract(epoch from expires_at - now()))::int`.as('seconds')])
    .executeTakeFirstOrThrow()
  if (failures > limit) throw new TooManyRequests(Math.max(seconds, 1))
}

/** Whoever has one IPv6 address has the /64 around it. */
function network(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [before = '', after = ''] = address.split('::')
  const head = before.split(':').filter(Boolean)
  const tail = after.split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}
