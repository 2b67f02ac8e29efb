import { daysAgo, exampleText, inTurn, seededFaker, unused } from '#app/db/seeding.ts'
import { posts } from './post.repository.ts'

/** Inserts 75 posts, one per day, with these users in turn as author. */
export async function seedPosts(userIds: readonly number[]): Promise<void> {
  const faker = await seededFaker()
  for (let n = 1; n <= 75; n++) {
    await posts.asSystem('seed').insert({
      title: unused(() => faker.book.title(), n),
      body: exampleText(faker),
      published: faker.datatype.boolean(0.7),
      author_id: inTurn(userIds, n),
      created_at: daysAgo(75 - n),
    })
  }
}
