import type { ColumnType, Generated } from 'kysely'
import { z } from 'zod'
import { field, filter, resource, type RowOf } from 'pergola'
import { User } from '#app/users/user.ts'

export interface PostTable {
  id: Generated<number>
  title: string
  body: string
  published: Generated<boolean>
  author_id: number
  created_at: ColumnType<string, string | undefined, never>
  version: ColumnType<number, number | undefined, never>
}

declare module 'pergola' {
  interface Tables {
    posts: PostTable
  }
}

export const Post = resource('Post', {
  table: 'posts',
  label: 'title',
  // The columns that clients may write. The server sets all others.
  input: z.strictObject({
    title: field.string({ max: 200 }),
    body: field.text(),
    published: field.boolean().default(false),
  }),
  columns: ['created_at'],
  owner: 'author_id',
  references: { author_id: User },
  sort: ['title', 'created_at'],
  search: ['title', 'body'],
  filters: {
    published: filter.one(z.stringbool(), {
      label: 'State',
      options: { true: 'Published', false: 'Drafts' },
    }),
    author_id: field.reference(),
  },
  version: true,
})
export type Post = RowOf<typeof Post>
