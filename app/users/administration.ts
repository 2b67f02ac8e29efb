import { type Authorized, inTransaction, Invalid } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { deleteTokensOf } from '#app/account-tokens/account-tokens.ts'
import { endSessionsOf } from '#app/sessions/user-sessions.ts'
import { formError } from './form-error.ts'
import { LAST_ADMIN, unlessLastAdmin } from './last-admin.ts'
import { users } from './user.repository.ts'
import type { User } from './user.ts'

type Administered = Authorized<'administer', typeof User>

/** Sets the roles. Returns whether they changed. Throws `Invalid`, and writes nothing, if no admin would be left. */
export async function setRoles(user: Administered, roles: string[]): Promise<boolean> {
  const write = async () => {
    const before = user.roles
    await users.update(user, { roles }, { set: ['roles'] })
    for (const role of roles.filter((role) => !before.includes(role)))
      await recordEvent('role-granted', { target: user.id, detail: role })
    for (const role of before.filter((role) => !roles.includes(role)))
      await recordEvent('role-removed', { target: user.id, detail: role })
  }
  if (roles.includes('admin')) await inTransaction(write)
  else if (!(await unlessLastAdmin(user.id, write))) throw lastAdmin()
  return roles.toSorted().join() !== user.roles.toSorted().join()
}

/** Enables the user. Returns false for one who is enabled. */
export async function enable(user: Administered): Promise<boolean> {
  if (user.disabled_at === null) return false
  await inTransaction(async () => {
    await users.update(user, { disabled_at: null }, { set: ['disabled_at'] })
    await recordEvent('account-enabled', { target: user.id })
  })
  return true
}

/**
 * Disables the user, and permanently ends all their sessions and links. Returns false for a user who is disabled. Throws
 * `Invalid` if no admin would be left.
 */
export async function disable(user: Administered): Promise<boolean> {
  const isDone = await unlessLastAdmin(user.id, async () => {
    if (user.disabled_at === null) {
      await users.update(user, { disabled_at: new Date().toISOString() }, { set: ['disabled_at'] })
      await recordEvent('account-disabled', { target: user.id })
    }
    await endSessionsOf(user.id)
    await deleteTokensOf(user.id)
  })
  if (!isDone) throw formError(LAST_ADMIN)
  return user.disabled_at === null
}

const lastAdmin = () => new Invalid([{ field: 'admin', messages: [LAST_ADMIN] }])
