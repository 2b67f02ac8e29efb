import { daysAgo, inTurn } from '#app/db/seeding.ts'
import { posts } from './post.repository.ts'

/** Inserts 75 posts, one per day, with these users in turn as author. */
export async function seedPosts(userIds: readonly number[]): Promise<void> {
  for (let n = 1; n <= 75; n++) {
    await posts.asSystem('seed').insert({
      title: `Post ${n}`,
      body: `Body ${n}`,
      published: n % 3 !== 0,
      author_id: inTurn(userIds, n),
      created_at: daysAgo(75 - n),
    })
  }
}
