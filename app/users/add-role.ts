import { database, inTransaction, type Role } from 'pergola'
import { recordEvent } from 'pergola/accounts'
import { users } from './user.repository.ts'

interface Grant {
  name: string
  /** Whether the user already had the role. Then nothing is written. */
  hadRole: boolean
  disabled: boolean
}

/** Grants a role to the user with this email address, in upper or lower case. Returns null if no such user exists. */
export function addRole(email: string, role: Role): Promise<Grant | null> {
  return inTransaction(async () => {
    const user = await database()
      .selectFrom('users')
      .select(['id', 'name', 'roles', 'disabled_at'])
      .where('email', '=', email.trim().toLowerCase())
      .forUpdate()
      .executeTakeFirst()
    if (user === undefined) return null
    const hadRole = user.roles.includes(role)
    if (!hadRole) {
      await users.asSystem('grant-role').update(user.id, { roles: [...user.roles, role] })
      await recordEvent('role-granted', { target: user.id, detail: role })
    }
    return { name: user.name, hadRole, disabled: user.disabled_at !== null }
  })
}
