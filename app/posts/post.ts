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

/** At least one character that can be seen: a title is what people click on. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u
const ONE_LINE = /^\P{Cc}*$/u

export const Post = resource('Post', {
  table: 'posts',
  // What a client may write; every other column is ours.
  input: z.strictObject({
    title: z
      .string()
      .trim()
      .regex(VISIBLE, 'Give it a title.')
      .regex(ONE_LINE, 'Use one line, without control characters.')
      .max(200, 'Use 200 characters or fewer.'),
    body: z.string().trim().min(1, 'Write something.').max(20_000, 'Use 20,000 characters or fewer.'),
    published: z.boolean().default(false),
  }),
  owner: 'author_id',
  references: { author_id: User },
  sort: ['title', 'created_at'],
  search: ['title', 'body'],
  filters: { published: z.stringbool(), author_id: z.coerce.number().int().positive() },
})
export type Post = RowOf<typeof Post>
