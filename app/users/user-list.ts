import type { Request } from 'express'
import { sql } from 'kysely'
import { z } from 'zod'
import { listQuery } from 'pergola'
import { humanize } from 'pergola/app'
import { ROLES } from './roles.ts'
import type { users } from './user.repository.ts'
import { User } from './user.ts'

const STATES = { active: 'Active', unconfirmed: 'Address not confirmed', disabled: 'Disabled' } as const

const parameters = z.object({
  role: z.enum(ROLES).optional().catch(undefined),
  state: z.literal(['active', 'unconfirmed', 'disabled']).optional().catch(undefined),
})

/** The filters of the list in its search form. */
const FILTERS = [
  {
    name: 'role',
    label: 'Role',
    options: [['', 'Role: any'], ...ROLES.map((role) => [role, humanize(role)] as const)],
  },
  { name: 'state', label: 'State', options: [['', 'State: any'], ...Object.entries(STATES)] },
] as const

type Where = NonNullable<NonNullable<Parameters<ReturnType<typeof users.visibleTo>['page']>[1]>['where']>

/**
 * Reads the search and the filters of the page of users, which only admins open. `query` is for the view, and `options` for the list. Words with an `@` are
 * searched in the addresses, which no other list reads.
 */
export function userList(req: Request) {
  const query = listQuery(req, User)
  const { role, state } = parameters.parse(req.query)
  const isAddress = query.q.includes('@')
  const where: Where = (is) =>
    is.and([
      ...(isAddress ? [sql<boolean>`strpos(email, ${query.q.toLowerCase()}) > 0`] : []),
      ...(role === undefined ? [] : [sql<boolean>`${role} = any(roles)`]),
      ...(state === 'disabled' ? [is('disabled_at', 'is not', null)] : []),
      ...(state === 'active' || state === 'unconfirmed' ? [is('disabled_at', 'is', null)] : []),
      ...(state === 'active' ? [is('email_verified_at', 'is not', null)] : []),
      ...(state === 'unconfirmed' ? [is('email_verified_at', 'is', null)] : []),
    ])
  return {
    options: { query: isAddress ? { ...query, q: '' } : query, where },
    query: { ...query, filters: { ...(role && { role }), ...(state && { state }) } },
    filters: FILTERS,
  }
}
