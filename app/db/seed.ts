import { type Kysely, sql } from 'kysely'
import { type Tables, withDatabase } from '#framework'
import { posts } from '#app/posts/post.repository.ts'
import { hashPassword } from '#app/users/password.ts'
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#app/users/demo-accounts.ts'
import { users } from '#app/users/user.repository.ts'
import { seedPosts } from './seed-posts.ts'

/** Fills an empty database with the demo accounts and a thousand posts. Returns false when it has users already. */
export function seed(db: Kysely<Tables>): Promise<boolean> {
  return db.transaction().execute((transaction) =>
    withDatabase(transaction, async () => {
      // Two processes may start on an empty database: the second waits here, however long, and then finds it full.
      await sql`set local lock_timeout = 0`.execute(transaction)
      await sql`set local statement_timeout = 0`.execute(transaction)
      await sql`select pg_advisory_xact_lock(hashtext('pergola seed'))`.execute(transaction)
      if ((await users.asSystem('is it empty?').count()) > 0) return false
      await insertPosts(await insertUsers())
      return true
    }),
  )
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
  for (const { author, ...post } of seedPosts(authorIds.length)) {
    await posts.asSystem('seed').insert({ ...post, author_id: authorIds[author] ?? 0 })
  }
}
