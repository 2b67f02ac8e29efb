import { z } from 'zod'
import { database, type Role } from 'pergola'
import { task } from 'pergola/tasks'
import { linkTo } from '#app/account-tokens/links.ts'
import { readConfig } from '#app/config.ts'
import { mailProblem } from '#app/mails/mail-settings.ts'
import { emailAddress } from '#app/users/email-address.ts'
import { byMail, type Deliver, invite, inviteAgain } from '#app/users/invite-user.ts'
import { ROLES } from '#app/users/roles.ts'
import { User } from '#app/users/user.ts'

export const inviteUser = task('invite', {
  description: 'Invites a user, for example the first admin, by a link that sets the password.',
  args: z.object({
    email: emailAddress.describe('the email address of the user'),
    name: User.input.shape.name.describe('the name of the user'),
    role: z.enum(ROLES).optional().describe('a role to grant'),
    subdomain: z.string().optional().describe('the subdomain of the account, if accounts have one'),
    printLink: z.boolean().default(false).describe('print the link in place of a mail: it is a secret'),
  }),
  async run({ args: { email, name, role, subdomain, printLink }, say }) {
    const config = readConfig()
    const problem = printLink ? null : mailProblem(config)
    if (problem !== null) throw new Error(`${problem} Or add --print-link, and give the link to the user.`)
    const linkOf = (token: string) => linkTo({ config, subdomain }, { purpose: 'invitation', token })
    const printed: string[] = []
    const keep: Deliver = async (_to, { token }) => void printed.push(linkOf(token))
    const deliver = printLink ? keep : byMail(null, linkOf)
    const user = await invite({ name, email, roles: role === undefined ? [] : [role] }, deliver)
    if (user === null) await repeat({ email, name, role }, deliver)
    const link = printed.at(-1)
    say(link === undefined ? `Invitation sent to ${email}.` : `The link is valid for seven days: ${link}`)
  },
})

interface Invited {
  readonly email: string
  readonly name: string
  readonly role?: Role | undefined
}

/**
 * Invites an existing user again, with this name. Throws an error if the address is verified, the account disabled or the
 * role new.
 */
async function repeat({ email, name, role }: Invited, deliver: Deliver): Promise<void> {
  const user = await database()
    .selectFrom('users')
    .select(['id', 'roles', 'disabled_at', 'email_verified_at'])
    .where('email', '=', email)
    .executeTakeFirst()
  if (user === undefined) throw new Error('The account was deleted meanwhile. Run the task again.')
  if (user.disabled_at !== null)
    throw new Error(
      'The account with this address is disabled. An admin can enable it on its page in /users.',
    )
  if (user.email_verified_at !== null)
    throw new Error('A user with this address exists already. Grant a role with npx cli task grant-role.')
  if (role !== undefined && !user.roles.includes(role))
    throw new Error(
      `The account with this address does not have the role ${role}. Grant it with npx cli task grant-role, then invite again.`,
    )
  if (!(await inviteAgain(user.id, deliver, { name })))
    throw new Error('The account was changed meanwhile. Run the task again.')
}
