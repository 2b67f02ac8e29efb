import { faker } from '@faker-js/faker/locale/en'
import { exampleText } from '#app/db/seeding.ts'
import { makeUser } from '#app/users/user.factory.ts'
import { posts } from './post.repository.ts'
import type { Post } from './post.ts'

faker.seed(1)

/** Inserts a published post, and a user as its author unless `values` names one. */
export async function makePost(values: Partial<Post> = {}): Promise<Post> {
  const { author_id = (await makeUser()).id, ...rest } = values
  return posts
    .asSystem('factory')
    .insert({ title: faker.book.title(), body: exampleText(faker), published: true, author_id, ...rest })
}
