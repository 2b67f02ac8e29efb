import { readConfig } from '#app/config.ts'
import { grantRole } from '#app/users/grant-role.ts'
import { ROLES } from '#app/users/user.ts'
import { withDatabase } from '#framework'
import { inDatabase } from './in-database.ts'

/** The way to the first admin: everybody else can be made one on the page of their user. */
export async function grantRoleCommand(given: { email: string; role: string }): Promise<void> {
  const role = ROLES.find((known) => known === given.role)
  if (role === undefined) {
    console.error(`There is no role ${given.role}; legal are ${ROLES.join(', ')}.`)
    process.exitCode = 2
    return
  }
  const granted = await inDatabase(readConfig(), (db) => withDatabase(db, () => grantRole(given.email, role)))
  if (granted === null)
    throw new Error(`Nobody signed up as ${given.email}. Sign up first, then grant the role.`)
  const { name, had, disabled } = granted
  console.log(had ? `${name} has the role ${role} already.` : `${name} has the role ${role} now.`)
  if (disabled) console.log(`${name} is disabled, and cannot sign in before an admin enables them.`)
}
