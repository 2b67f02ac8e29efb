import { sql } from 'kysely'
import { contextOf, database, type PolicyContext } from 'pergola'
import { registryOfResources } from 'pergola/app'
import type { Config } from '#app/config.ts'
import { resources } from '#app/resources.ts'

/** A user by id or by email address, in any case. */
export type UserKey = { readonly id: number } | { readonly email: string }

/**
 * Returns the policy context of an enabled user, or of a guest if `key` is null. Returns null if no enabled user matches.
 * The rules have the deadline of the configuration. Costs one query for a user.
 */
export async function userContext(key: UserKey | null, { security }: Config): Promise<PolicyContext | null> {
  const registry = { ...registryOfResources(resources), ruleDeadline: security.rule_deadline_ms }
  const parts = { db: database, registry }
  if (key === null) return contextOf(null, parts)
  const user = await database()
    .selectFrom('users')
    .select(['id', 'name', 'roles', tenantOfUser().as('tenant')])
    .where('disabled_at', 'is', null)
    .where((is) => ('id' in key ? is('id', '=', key.id) : is('email', '=', key.email.toLowerCase())))
    .executeTakeFirst()
  if (user === undefined) return null
  const { id: userId, name, roles, tenant } = user
  return contextOf({ id: 'cli', userId, name, roles }, { ...parts, tenant })
}

/** Returns SQL for the tenant of a user: the column that resources have. Null without it, as for tenants of host names. */
function tenantOfUser() {
  const column = resources.map(({ repository }) => repository.resource.tenant).find((name) => name !== null)
  return sql<number | string | null>`to_jsonb(users) -> ${column ?? ''}::text`
}
