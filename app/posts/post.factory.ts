import { makeUser } from '#app/users/user.factory.ts'
import { posts } from './post.repository.ts'
import type { Post } from './post.ts'

let made = 0

/** A published post; a new user is its author unless one is given. */
export async function makePost(values: Partial<Post> = {}): Promise<Post> {
  const { author_id = (await makeUser()).id, ...given } = values
  const n = ++made
  return posts
    .asSystem('factory')
    .insert({ title: `Title ${n}`, body: `Body ${n}`, published: true, author_id, ...given })
}
