import type { ColumnType, Generated } from 'kysely'
import { z } from 'zod'
import { resource, type RowOf } from '#framework'
import { User } from '#app/users/user.ts'

export interface PostTable {
  id: Generated<number>
  title: string
  body: string
  published: ColumnType<boolean, boolean | undefined, boolean>
  author_id: number
  created_at: ColumnType<string, string | undefined, never>
}

declare module '#framework' {
  interface Tables {
    posts: PostTable
  }
}

export const Post = resource('Post', {
  table: 'posts',
  // What a client may write; every other column is ours.
  input: z.strictObject({
    title: z.string().trim().min(1, 'Give it a title.').max(200, 'Use 200 characters or fewer.'),
    body: z.string().trim().min(1, 'Write something.').max(20_000, 'Use 20,000 characters or fewer.'),
    published: z.boolean().default(false),
  }),
  owner: 'author_id',
  references: { author_id: User },
})
export type Post = RowOf<typeof Post>
