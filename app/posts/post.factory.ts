import { makeUser } from '#app/users/user.factory.ts'
import { posts } from './post.repository.ts'
import type { Post } from './post.ts'

let made = 0

/** A published post; somebody writes it when no author is given. */
export async function makePost(values: Partial<Post> = {}): Promise<Post> {
  const { author_id = (await makeUser()).id, ...given } = values
  const title = `Post ${++made}`
  return posts
    .asSystem('factory')
    .insert({ title, body: 'Written by the factory.', published: true, author_id, ...given })
}
