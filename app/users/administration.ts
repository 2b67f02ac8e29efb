import type { Authorized } from '#framework'
import { endSessionsOf } from '#app/sessions/user-sessions.ts'
import { unlessLastAdmin } from './last-admin.ts'
import { users } from './user.repository.ts'
import type { User } from './user.ts'

type Administered = Authorized<'administer', typeof User>

/** False, and nothing is written, when no admin would be left. */
export async function setRoles(user: Administered, roles: string[]): Promise<boolean> {
  const write = async () => void (await users.update(user, { roles }))
  if (!roles.includes('admin')) return unlessLastAdmin(user.id, write)
  await write()
  return true
}

export async function enable(user: Administered): Promise<true> {
  await users.update(user, { disabled_at: null })
  return true
}

/** Signs the user out everywhere, so that enabling brings no session back. False when no admin would be left. */
export function disable(user: Administered): Promise<boolean> {
  return unlessLastAdmin(user.id, async () => {
    await users.update(user, { disabled_at: user.disabled_at ?? new Date().toISOString() })
    await endSessionsOf(user.id)
  })
}
