import { makeUser } from '#app/users/user.factory.ts'
import { posts } from './post.repository.ts'
import type { Post } from './post.ts'

let sequence = 0

/** Inserts a published post, and a user as its author unless `values` names one. */
export async function makePost(values: Partial<Post> = {}): Promise<Post> {
  const { author_id = (await makeUser()).id, ...rest } = values
  const n = ++sequence
  return posts
    .asSystem('factory')
    .insert({ title: `Title ${n}`, body: `Body ${n}`, published: true, author_id, ...rest })
}
