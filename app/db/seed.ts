import { type Kysely, sql } from 'kysely'
import { seedEmptyTables, type Tables, withDatabase } from 'pergola'
import { posts } from '#app/posts/post.repository.ts'
import { resources } from '#app/resources.ts'
import { hashPassword } from '#app/users/password.ts'
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { users } from '#app/users/user.repository.ts'
import { thousandPosts } from './thousand-posts.ts'

/**
 * Fills what is empty: without any user the demo accounts and a thousand posts, then each resource that has a seed. Gives
 * the tables that it filled.
 */
export function seed(db: Kysely<Tables>): Promise<string[]> {
  return db.transaction().execute((transaction) =>
    withDatabase(transaction, async () => {
      // Two processes may start on an empty database: the second waits here, however long, and then finds it full.
      await sql`set local lock_timeout = 0`.execute(transaction)
      await sql`set local statement_timeout = 0`.execute(transaction)
      await sql`select pg_advisory_xact_lock(hashtext('pergola seed'))`.execute(transaction)
      const demo = (await users.asSystem('is it empty?').count()) > 0 ? [] : await seedDemo()
      return [...demo, ...(await seedEmptyTables(resources, await demoUserIds(transaction)))]
    }),
  )
}

async function seedDemo(): Promise<string[]> {
  await insertPosts(await insertUsers())
  return ['users', 'posts']
}

async function insertUsers(): Promise<number[]> {
  const password_digest = await hashPassword(DEMO_PASSWORD)
  const ids: number[] = []
  for (const { name, email, roles } of DEMO_ACCOUNTS) {
    const user = await users.asSystem('seed').insert({ name, email, roles: [...roles], password_digest })
    ids.push(user.id)
  }
  return ids
}

async function insertPosts(authorIds: readonly number[]): Promise<void> {
  for (const { author, ...post } of thousandPosts(authorIds.length)) {
    await posts.asSystem('seed').insert({ ...post, author_id: authorIds[author] ?? 0 })
  }
}

/** Those of the demo accounts that are still there. */
async function demoUserIds(db: Kysely<Tables>): Promise<number[]> {
  const emails = DEMO_ACCOUNTS.map(({ email }) => email)
  const found = await db.selectFrom('users').select('id').where('email', 'in', emails).orderBy('id').execute()
  return found.map(({ id }) => id)
}
