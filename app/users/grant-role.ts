import { database, inTransaction, type Role } from 'pergola'
import { users } from './user.repository.ts'

interface Granted {
  name: string
  /** They had it before; nothing was written. */
  had: boolean
  disabled: boolean
}

/** Gives a role to the user with this address, in any case. Null when there is none. */
export function grantRole(email: string, role: Role): Promise<Granted | null> {
  return inTransaction(async () => {
    const user = await database()
      .selectFrom('users')
      .select(['id', 'name', 'roles', 'disabled_at'])
      .where('email', '=', email.trim().toLowerCase())
      .forUpdate()
      .executeTakeFirst()
    if (user === undefined) return null
    const had = user.roles.includes(role)
    if (!had) await users.asSystem('grant-role').update(user.id, { roles: [...user.roles, role] })
    return { name: user.name, had, disabled: user.disabled_at !== null }
  })
}
