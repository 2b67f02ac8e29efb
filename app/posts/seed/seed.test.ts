import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { withDatabase } from 'pergola'
import { seed } from '#app/db/seed.ts'
import { testDatabase } from 'pergola/testing'
import { demoUserIds } from '#app/users/user.seed.ts'
import { posts } from '../post.repository.ts'
import { seedPosts } from '../post.seed.ts'

const { db } = await testDatabase()
const count = () => withDatabase(db, () => posts.asSystem('test').count())

async function authors(): Promise<string[]> {
  const rows = await db
    .selectFrom('posts')
    .innerJoin('users', 'users.id', 'author_id')
    .select('name')
    .distinct()
    .execute()
  return rows.map(({ name }) => name).toSorted()
}

describe('seed', () => {
  it('inserts a thousand posts of the demo accounts into an empty database', async () => {
    expect(await seed(db)).toContain('posts')
    expect(await count()).toBe(1_000)
    expect(await authors()).toEqual(['Admin', 'Alice', 'Bob'])
  })

  it('fills the emptied table again', async () => {
    await db.deleteFrom('posts').execute()
    expect(await seed(db)).toEqual(['posts'])
    expect(await count()).toBe(1_000)
  })

  it('inserts no posts if the demo accounts are gone', async () => {
    await db.deleteFrom('posts').execute()
    await sql`update users set email = 'former-' || email`.execute(db)
    expect([await seed(db), await count()]).toEqual([[], 0])
    await sql`update users set email = substr(email, 8)`.execute(db)
  })
})

describe('seedPosts', () => {
  beforeEach(() => db.deleteFrom('posts').execute())

  it('inserts 75 posts of these users', async () => {
    await withDatabase(db, async () => seedPosts(await demoUserIds()))
    expect([await count(), await authors()]).toEqual([75, ['Admin', 'Alice', 'Bob']])
  })
})
