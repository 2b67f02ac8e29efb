import { Client, type QueryConfig } from 'pg'
import { type Capabilities, CAPABILITY_COLUMNS, readCapabilities } from './capabilities.ts'
import { hasMessage } from './sql-states.ts'

/** The limits of a session, in milliseconds. */
export interface SessionLimits {
  readonly statement_timeout: number
  readonly lock_timeout: number
  readonly idle_in_transaction_session_timeout: number
}

/** The state that all sessions of a pool share. The check of a new session sets it. */
export interface SessionState {
  readonly limits: SessionLimits
  /** False if a connection pooler refuses or ignores the limits: each transaction then sets its own. */
  hasLimits: boolean
  /** Whether the sessions are those of Postgres itself, so that named statements exist in each. */
  isDirect: boolean
  /** Undefined until the first session has opened. */
  capabilities: Capabilities | undefined
}

/**
 * Returns the class of a pool's connections. TimeZone and DateStyle are startup parameters of their own, because
 * PgBouncer sets these two for each transaction, and refuses `options`.
 */
export function sessionClient(state: SessionState): typeof Client {
  return class SessionClient extends Client {
    /** Called by the driver when it connects. */
    getStartupConf(): Record<string, string> {
      return {
        ...(Client.prototype as unknown as SessionClient).getStartupConf.call(this),
        TimeZone: 'UTC',
        DateStyle: 'ISO',
        ...(state.hasLimits && textOf(state.limits)),
      }
    }
  }
}

const textOf = (limits: SessionLimits): Record<string, string> =>
  Object.fromEntries(Object.entries(limits).map(([name, milliseconds]) => [name, String(milliseconds)]))

/** Returns whether a connection pooler refused the limits. PgBouncer: `unsupported startup parameter: lock_timeout`. */
export const refusesLimits = (error: unknown): boolean =>
  hasMessage(error, /unsupported startup parameter.*: (?:statement|lock|idle_in_transaction_session)_timeout/)

/** Returns the SQL that sets the limits of one transaction, for sessions without limits. */
export const transactionLimits = ({ limits }: SessionState): string =>
  Object.entries(textOf(limits))
    .map(([name, milliseconds]) => `set local ${name} = ${milliseconds}`)
    .join('; ')

/** Thrown for a session whose settings would change the bytes of responses. The message has the remedy. */
export class WrongSession extends Error {}

interface Settings extends SessionLimits, Capabilities {
  role: string
  pid: number
  TimeZone: string
  DateStyle: string
  extra_float_digits: string
}

/**
 * Reads the settings of a new session, and with the first one the capabilities of the database. Throws `WrongSession` if
 * its times or numbers would have another text. If a pooler dropped the limits, and those of the role differ, calls
 * `warn` with the statements that set them for the role. The server has `timeout` milliseconds to answer.
 */
export async function checkSession(
  client: Client,
  state: SessionState,
  { timeout, warn }: { timeout: number; warn: (problem: string) => void },
): Promise<void> {
  const { rows } = await client.query<Settings>({
    text: state.capabilities === undefined ? READ_ALL : READ_SETTINGS,
    query_timeout: timeout,
  } as QueryConfig)
  const settings = rows[0] as Settings
  const required = { TimeZone: 'UTC', DateStyle: 'ISO', extra_float_digits: '1' } as const
  const wrong = (Object.keys(required) as (keyof typeof required)[]).filter(
    (name) => !isRight[name](settings[name]),
  )
  if (wrong.length > 0) {
    const found = wrong.map((name) => `${name} ${settings[name]}`).join(', ')
    const remedy = alterRole(
      settings,
      wrong.map((name) => [name, required[name]]),
    )
    throw new WrongSession(
      `The database sessions have ${found}: a connection pooler drops the startup parameters. Execute: ${remedy}`,
    )
  }
  state.capabilities ??= readCapabilities(settings)
  state.isDirect = settings.pid === (client as { processID?: number }).processID
  state.hasLimits &&= limitNames.every((name) => settings[name] === state.limits[name])
  const different = limitNames.filter((name) => settings[name] !== state.limits[name])
  if (different.length === 0) return
  const found = different.map((name) => `${name} = ${settings[name]}ms`).join(', ')
  const remedy = alterRole(
    settings,
    different.map((name) => [name, `${state.limits[name]}ms`]),
  )
  warn(`The database sessions have ${found}: a connection pooler drops the limits. Execute: ${remedy}`)
}

const limitNames = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
] as const satisfies (keyof SessionLimits)[]

const isRight = {
  TimeZone: (value: string) => value === 'UTC',
  DateStyle: (value: string) => value.startsWith('ISO'),
  extra_float_digits: (value: string) => Number(value) > 0,
}

const SETTINGS = [
  'session_user::text as role',
  'pg_backend_pid() as pid',
  ...Object.keys(isRight).map((name) => `current_setting('${name}') as "${name}"`),
  // The text of a limit has a unit, such as `4s`.
  ...limitNames.map(
    (name) => `(1000 * extract(epoch from current_setting('${name}')::interval))::int as ${name}`,
  ),
]
const READ_SETTINGS = `select ${SETTINGS.join(', ')}`
const READ_ALL = `select ${[...SETTINGS, ...CAPABILITY_COLUMNS].join(', ')}`

const alterRole = ({ role }: Settings, settings: (readonly [name: string, value: string])[]): string =>
  settings
    .map(([name, value]) => `alter role "${role.replaceAll('"', '""')}" set ${name} = '${value}';`)
    .join(' ')
