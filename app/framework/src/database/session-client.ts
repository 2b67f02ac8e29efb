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
  const wrong = REQUIRED.filter(({ name, isRight }) => !isRight(settings[name]))
  if (wrong.length > 0) {
    const parameters = wrong.map(({ name, value }) => [name, settings[name], value] as const)
    throw new WrongSession(problemOf(settings, 'the startup parameters', parameters))
  }
  state.capabilities ??= readCapabilities(settings)
  state.isDirect = settings.pid === (client as { processID?: number }).processID
  const different = limitNames.filter((name) => settings[name] !== state.limits[name])
  state.hasLimits &&= different.length === 0
  if (different.length === 0) return
  const limits = different.map((name) => [name, `${settings[name]}ms`, `${state.limits[name]}ms`] as const)
  warn(problemOf(settings, 'the limits', limits))
}

type Difference = readonly [name: string, found: string, required: string]

/** Returns the problem of settings that a pooler dropped, with the statements that set them for the role. */
function problemOf({ role }: Settings, dropped: string, differences: readonly Difference[]): string {
  const found = differences.map(([name, value]) => `${name} = ${value}`).join(', ')
  const owner = `"${role.replaceAll('"', '""')}"`
  const remedy = differences
    .map(([name, , value]) => `alter role ${owner} set ${name} = '${value}';`)
    .join(' ')
  return `The database sessions have ${found}: a connection pooler drops ${dropped}. Execute: ${remedy}`
}

const limitNames = [
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
] as const satisfies (keyof SessionLimits)[]

const REQUIRED = [
  { name: 'TimeZone', value: 'UTC', isRight: (value: string) => value === 'UTC' },
  { name: 'DateStyle', value: 'ISO', isRight: (value: string) => value.startsWith('ISO') },
  { name: 'extra_float_digits', value: '1', isRight: (value: string) => Number(value) > 0 },
] as const

const SETTINGS = [
  'session_user::text as role',
  'pg_backend_pid() as pid',
  ...REQUIRED.map(({ name }) => `current_setting('${name}') as "${name}"`),
  // The text of a limit has a unit, such as `4s`.
  ...limitNames.map(
    (name) => `(1000 * extract(epoch from current_setting('${name}')::interval))::int as ${name}`,
  ),
]
const READ_SETTINGS = `select ${SETTINGS.join(', ')}`
const READ_ALL = `select ${[...SETTINGS, ...CAPABILITY_COLUMNS].join(', ')}`
