import { z } from 'zod'
import { task } from 'pergola/tasks'
import { addRole } from '#app/users/add-role.ts'
import { ROLES } from '#app/users/roles.ts'

export const grantRole = task('grant-role', {
  description: 'Grants a role to a user, for example to make the first admin.',
  args: z.object({
    email: z.string().describe('the email address of the user'),
    role: z.enum(ROLES).describe('the role to grant'),
  }),
  async run({ args: { email, role }, say }) {
    const granted = await addRole(email, role)
    if (granted === null)
      throw new Error('No user has this email address. Sign up first, then grant the role.')
    const { name, hadRole, disabled } = granted
    say(hadRole ? `${name} already has the role ${role}.` : `${name} now has the role ${role}.`)
    if (disabled) say(`${name} is disabled and cannot sign in until an admin enables the account.`)
  },
})
