import { database, type PolicyContext, repository } from '#framework'
import { userPolicy, userScope } from './user.policy.ts'
import { User } from './user.ts'

export const users = repository(User, {
  policy: userPolicy,
  scope: userScope,
  updatedBy: ['administer'],
})

/** The names of the users with these ids, for lists that show who wrote what. */
export async function userNames(ctx: PolicyContext, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const found = await users.visibleTo(ctx).findAll({ where: (is) => is('id', 'in', [...new Set(ids)]) })
  return new Map(found.map(({ id, name }) => [id, name]))
}

/** The addresses of the users with these ids, which their rows hide: for admins, and for each their own. */
export async function userEmails(ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const found = await database().selectFrom('users').select(['id', 'email']).where('id', 'in', ids).execute()
  return new Map(found.map(({ id, email }) => [id, email]))
}
