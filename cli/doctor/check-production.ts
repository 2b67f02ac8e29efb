import { type Kysely, sql } from 'kysely'
import type { Tables } from 'pergola'
import type { Config } from '#app/config.ts'
import { isLoopback } from '#app/unsafe-settings.ts'
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

/** Returns a note for an address that only this machine can open. */
export function checkAddress({ server }: Config): Finding {
  const { base_url = '' } = server
  if (!isLoopback(new URL(base_url).hostname)) return ok('address', `The address is ${base_url}.`)
  return note(
    'address',
    `BASE_URL is ${base_url}, which only this machine can open.`,
    'Set the public address.',
  )
}

/** Returns a note for a log without errors. */
export function checkLog({ server }: Config): Finding {
  const { log_level } = server
  if (!['silent', 'fatal'].includes(log_level)) return ok('log', `The log level is ${log_level}.`)
  return note('log', `The log level is ${log_level}: failures leave no trace.`, 'SERVER__LOG_LEVEL=info')
}

interface ConnectionLimits {
  server: number
  role: number
}

/** Compares the pool of a process with the connections that Postgres allows, less one for commands. */
export async function checkConnections(db: Kysely<Tables>, { database }: Config): Promise<Finding> {
  const { rows } = await sql<ConnectionLimits>`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as server,
      rolconnlimit as role
    from pg_roles where rolname = session_user`.execute(db)
  const { server = 0, role = -1 } = rows[0] ?? {}
  const allowed = role < 0 ? server : Math.min(server, role)
  const processes = Math.floor((allowed - 1) / database.pool_size)
  const message = `Postgres allows ${allowed} connections: enough for ${processes} processes with a pool_size of ${database.pool_size}.`
  if (processes > 1) return ok('connections', message)
  const remedy = 'Lower DATABASE__POOL_SIZE, raise max_connections, or use a connection pooler.'
  return processes < 1 ? wrong('connections', message, remedy) : note('connections', message, remedy)
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
