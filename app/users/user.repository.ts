import { database, labelsOf, type PolicyContext, repository } from 'pergola'
import { userPolicy, userScope } from './user.policy.ts'
import { User } from './user.ts'

export const users = repository(User, {
  policy: userPolicy,
  scope: userScope,
  updatedBy: ['administer'],
  deletedBy: ['administer'],
})

/** Returns the names of the users with these ids, for lists that show authors. */
export const userNames = (
  ctx: PolicyContext,
  ids: readonly (number | null)[],
): Promise<Map<number, string>> => labelsOf(ctx, User, ids)

/**
 * Returns the email addresses of these users, which rows don't contain. Users other than admins get only their own
 * address.
 */
export async function userEmails(ctx: PolicyContext, ids: readonly number[]): Promise<Map<number, string>> {
  const allowed = ctx.hasRole('admin') ? ids : ids.filter((id) => ctx.owns(id))
  if (allowed.length === 0) return new Map()
  const rows = await database()
    .selectFrom('users')
    .select(['id', 'email'])
    .where('id', 'in', allowed)
    .execute()
  return new Map(rows.map(({ id, email }) => [id, email]))
}
