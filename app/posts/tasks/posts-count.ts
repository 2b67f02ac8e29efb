import { type Batches, type BatchOptions, database } from 'pergola'
import { users } from '#app/users/user.repository.ts'
import type { User } from '#app/users/user.ts'

export interface PostsCount {
  readonly id: number
  readonly posts_count: number
}

/** Returns all users, or only the users with a post since this day, in batches. */
export function usersToCount(
  since: string | undefined,
  options: BatchOptions<typeof User>,
): Batches<typeof User> {
  const all = users.asSystem('recount-posts')
  if (since === undefined) return all.findInBatches(1_000, options)
  return all.findInBatches(1_000, {
    ...options,
    where: (is) =>
      is.exists(
        is
          .selectFrom('posts')
          .select('posts.id')
          .whereRef('posts.author_id', '=', 'users.id')
          .where('posts.created_at', '>=', since),
      ),
  })
}

/** Returns the corrected counts of users whose count is wrong. Updating the others would only change their versions. */
export async function correctCounts(batch: readonly User[]): Promise<PostsCount[]> {
  const ids = batch.map(({ id }) => id)
  const rows = await database()
    .selectFrom('posts')
    .select('author_id')
    .select((is) => is.fn.countAll<string>().as('total'))
    .where('author_id', 'in', ids)
    .where('published', '=', true)
    .groupBy('author_id')
    .execute()
  const totals = new Map(rows.map(({ author_id, total }) => [author_id, Number(total)]))
  return batch
    .map(({ id, posts_count }) => ({ id, before: posts_count, posts_count: totals.get(id) ?? 0 }))
    .filter(({ before, posts_count }) => before !== posts_count)
}

/** Writes only the counts of these users. */
export const writeCounts = (counts: readonly PostsCount[]): Promise<number> =>
  users.asSystem('recount-posts').upsertMany(counts, { columns: ['posts_count'] })

/** Returns the counts of these users without a policy check, because published posts are public. */
export async function postsCounts(userIds: readonly number[]): Promise<Map<number, number>> {
  if (userIds.length === 0) return new Map()
  const rows = await database()
    .selectFrom('users')
    .select(['id', 'posts_count'])
    .where('id', 'in', userIds)
    .execute()
  return new Map(rows.map(({ id, posts_count }) => [id, posts_count]))
}
