import { type Kysely, sql } from 'kysely'
import type { Tables } from 'pergola'
import type { Config } from '#app/config.ts'
import { openDemoAccount } from '#app/users/open-demo-account.ts'
import { type Finding, note, ok, wrong } from './finding.ts'

/** Checks for demo passwords and for an admin. Only production requires these. */
export async function checkAccounts(db: Kysely<Tables>): Promise<Finding[]> {
  const open = await openDemoAccount(db)
  const { rows } =
    await sql`select from users where 'admin' = any(roles) and disabled_at is null limit 1`.execute(db)
  return [
    open === null
      ? ok('demo-passwords', 'No account has the public demo password.')
      : wrong('demo-passwords', open, 'Delete the user, or change the password.'),
    rows.length > 0
      ? ok('admin', 'An admin exists.')
      : note(
          'admin',
          'No user is an admin.',
          'Sign up, then: npx cli task grant-role --email … --role admin',
        ),
  ]
}

/** Checks for https, because without it session cookies can be read on the network. */
export function checkHttps({ server }: Config): Finding {
  const { base_url = '' } = server
  if (base_url.startsWith('https:')) return ok('https', `The address is ${base_url}.`)
  return wrong(
    'https',
    `BASE_URL is ${base_url}, without https.`,
    'Serve the application over https, and set BASE_URL to that address.',
  )
}

/** Checks that security.txt, if it is configured, has not expired. */
export function checkSecurityTxt({ security_txt }: Config): Finding[] {
  const { expires } = security_txt
  if (expires === undefined) return []
  if (Date.parse(expires) > Date.now()) return [ok('security-txt', `security.txt is valid until ${expires}.`)]
  return [
    wrong(
      'security-txt',
      `security.txt expired: ${expires}.`,
      'Set SECURITY_TXT__EXPIRES, or expires under [security_txt] in app/config.toml, to a time within a year.',
    ),
  ]
}
