import { z } from 'zod'
import { task } from 'pergola/tasks'
import { grantRole as grant } from '#app/users/grant-role.ts'
import { ROLES } from '#app/users/roles.ts'

export const grantRole = task('grant-role', {
  description: 'Gives somebody who signed up a role: the way to the first admin.',
  args: z.object({
    email: z.string().describe('the address they sign in with'),
    role: z.enum(ROLES).describe('what they become'),
  }),
  async run({ args: { email, role }, say }) {
    const granted = await grant(email, role)
    if (granted === null) throw new Error(`Nobody signed up as ${email}. Sign up first, then grant the role.`)
    const { name, had, disabled } = granted
    say(had ? `${name} has the role ${role} already.` : `${name} has the role ${role} now.`)
    if (disabled) say(`${name} is disabled, and cannot sign in before an admin enables them.`)
  },
})
