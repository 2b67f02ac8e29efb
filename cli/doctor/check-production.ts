import { type Kysely, sql } from 'kysely'
import type { Tables } from 'pergola'
import type { Config } from '#app/config.ts'
import { openDemoAccount } from '#app/users/open-demo-account.ts'
import { type Finding, note, ok, wrong } from './finding.ts'

/** What only matters where strangers come by. */
export async function checkPeople(db: Kysely<Tables>): Promise<Finding[]> {
  const open = await openDemoAccount(db)
  const { rows } =
    await sql`select from users where 'admin' = any(roles) and disabled_at is null limit 1`.execute(db)
  return [
    open === null
      ? ok('demo-passwords', 'No account has a password that everybody knows.')
      : wrong('demo-passwords', open, 'Delete the user, or give them another password.'),
    rows.length > 0
      ? ok('admin', 'There is an admin.')
      : note(
          'admin',
          'Nobody is an admin yet.',
          'Sign up, then: npx cli task grant-role --email … --role admin',
        ),
  ]
}

/** Sessions travel in cookies, which others read where the connection is open. */
export function checkHttps({ server }: Config): Finding {
  const { base_url = '' } = server
  if (base_url.startsWith('https:')) return ok('https', `People come by ${base_url}.`)
  return wrong(
    'https',
    `BASE_URL is ${base_url}, without https.`,
    'Serve it over https, and set BASE_URL to that address.',
  )
}
