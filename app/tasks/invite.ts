import { z } from 'zod'
import { database } from 'pergola'
import { task } from 'pergola/tasks'
import { linkTo } from '#app/account-tokens/links.ts'
import { readConfig } from '#app/config.ts'
import { mailProblem } from '#app/mails/mail-settings.ts'
import { emailAddress } from '#app/users/email-address.ts'
import { byMail, type Deliver, invite, inviteAgain } from '#app/users/invitation.ts'
import { ROLES } from '#app/users/roles.ts'
import { User } from '#app/users/user.ts'

export const inviteUser = task('invite', {
  description: 'Invites a user, for example the first admin, by a link that sets the password.',
  args: z.object({
    email: emailAddress.describe('the email address of the user'),
    name: User.input.shape.name.describe('the name of the user'),
    role: z.enum(ROLES).optional().describe('a role to grant'),
    printLink: z.boolean().default(false).describe('print the link in place of a mail: it is a secret'),
  }),
  async run({ args: { email, name, role, printLink }, say }) {
    const config = readConfig()
    const problem = printLink ? null : mailProblem(config)
    if (problem !== null) throw new Error(`${problem} Or add --print-link, and give the link to the user.`)
    const linkOf = (token: string) => linkTo(config, null, { purpose: 'invitation', token })
    const printed: string[] = []
    const keep: Deliver = async (_to, token) => void printed.push(linkOf(token))
    const deliver = printLink ? keep : byMail(null, linkOf)
    const user = await invite({ name, email, roles: role === undefined ? [] : [role] }, deliver)
    if (user === null && !(await repeat(email, deliver)))
      throw new Error(`${email} has an account. Grant it a role with npx cli task grant-role.`)
    const link = printed.at(-1)
    say(link === undefined ? `Invitation sent to ${email}.` : `The link is valid for seven days: ${link}`)
  },
})

/** Invites an existing user again. Returns false if the address is verified, or the account disabled. */
async function repeat(email: string, deliver: Deliver): Promise<boolean> {
  const found = database().selectFrom('users').select('id').where('email', '=', email)
  const user = await found.executeTakeFirst()
  return user !== undefined && inviteAgain(user.id, deliver)
}
