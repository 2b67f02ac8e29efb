import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { conflictingUrls, databaseUrls, shardSettings } from 'pergola/database'
import { z } from 'zod'
import { mailUrl, sender } from './mails/mail-values.ts'
import { refuseUnsafe } from './unsafe-settings.ts'

const PROFILES = ['development', 'test', 'production'] as const
type Profile = (typeof PROFILES)[number]

const SECRET = '32 or more random characters, or several such secrets with commas between them'

const CONTACT = 'an address like mailto:security@example.org or https://example.org/contact'
const EXPIRES = 'a time in quotes, like "2027-01-01T00:00:00Z"'

const wholeNumber = (min: number, max: number) =>
  z.unknown().transform((input, context) => {
    const value = typeof input === 'string' && /^\d+$/.test(input) ? Number(input) : input
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
    context.addIssue(`a whole number from ${min} to ${max}`)
    return z.NEVER
  })
const flag = z.union([z.boolean(), z.stringbool()], 'true or false')
const origin = z
  .url({ protocol: /^https?$/, error: 'an http or https address without a path' })
  .refine(
    (url) => ['/', ''].includes(URL.parse(url)?.pathname ?? '?'),
    'an http or https address without a path',
  )
  .transform((url) => new URL(url).origin)

/** The sections and keys of config.toml. */
export const settingsSchema = z.strictObject({
  app: z.strictObject({ name: z.string().trim().min(1, 'a name').max(60, 'a name of up to 60 characters') }),
  server: z.strictObject({
    port: wholeNumber(0, 65_535),
    host: z.string().min(1, 'a host name or an address'),
    base_url: origin.optional(),
    trust_proxy: wholeNumber(0, 10),
    compress: flag,
    queue_timeout_ms: wholeNumber(1, 60_000),
    connections_per_client: wholeNumber(1, 2_000),
    subdomains: flag,
    linger_seconds: wholeNumber(0, 300),
    drain_seconds: wholeNumber(0, 300),
    log_level: z.enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'trace, debug, info, warn, error, fatal or silent',
    ),
    log_callers: flag,
  }),
  database: z.strictObject({
    ...databaseUrls,
    max_lag_ms: wholeNumber(1, 600_000),
    replica_timeout_ms: wholeNumber(1, 60_000),
    prepared: z.enum(['auto', 'on', 'off'], 'auto, on or off'),
    data_dir: z.string().min(1, 'a folder'),
    pool_size: wholeNumber(1, 1_000),
    max_waiting: wholeNumber(0, 100_000),
    connect_timeout_ms: wholeNumber(1, 600_000),
    statement_timeout_ms: wholeNumber(1, 600_000),
    search_timeout_ms: wholeNumber(1, 600_000),
    lock_timeout_ms: wholeNumber(1, 600_000),
  }),
  session: z.strictObject({
    secret: z
      .string()
      .transform((secrets) => secrets.split(',').map((secret) => secret.trim()))
      .transform((secrets) => secrets.filter((secret) => secret !== ''))
      .refine((secrets) => secrets.every((secret) => secret.length >= 32), SECRET),
    idle_minutes: wholeNumber(5, 525_600),
    lifetime_hours: wholeNumber(1, 8_760),
  }),
  security: z.strictObject({
    forbidden_response: z.enum(['404', '403', 'auto'], '"404", "403" or "auto"'),
    rule_deadline_ms: wholeNumber(1, 60_000),
    allow_unauthorized_repository_api: flag,
    writes_per_minute: wholeNumber(1, 1_000_000),
    searches_per_minute: wholeNumber(1, 1_000_000),
  }),
  security_txt: z
    .strictObject({
      contact: z
        .url({ protocol: /^(https|mailto|tel)$/, error: CONTACT })
        .regex(/^\S+$/, CONTACT)
        .optional(),
      expires: z.iso.datetime({ offset: true, error: EXPIRES }).optional(),
      policy: z
        .url({ protocol: /^https$/, error: 'an https address' })
        .regex(/^\S+$/, 'an https address')
        .optional(),
    })
    .refine(({ contact, expires }) => contact === undefined || expires !== undefined, {
      path: ['expires'],
      error: EXPIRES,
    })
    .refine(({ contact, expires }) => contact !== undefined || expires === undefined, {
      path: ['contact'],
      error: CONTACT,
    }),
  accounts: z.strictObject({
    sign_up: flag,
    sign_in_by_link: flag,
    sign_in_notices: flag,
    demo: flag,
    breached_passwords: z.url({ protocol: /^https?$/, error: 'the URL of a range API' }).optional(),
  }),
  audit: z.strictObject({ keep_days: wholeNumber(1, 36_500) }),
  mail: z.strictObject({
    url: mailUrl.optional(),
    from: sender.optional(),
    timeout_ms: wholeNumber(1, 60_000),
  }),
  tasks: z.strictObject({ lease_seconds: wholeNumber(1, 3_600) }),
  worker: z.strictObject({ port: wholeNumber(1, 65_535).optional() }),
  dev: z.strictObject({ requests: flag }),
})

export type Settings = z.output<typeof settingsSchema>
export type Config = Readonly<{ [Section in keyof Settings]: Readonly<Settings[Section]> }> & {
  readonly profile: Profile
  /** The shard whose database this configuration has: see `databasesOf`. Undefined for all of them, and without shards. */
  readonly shard?: string
}

/**
 * Reads config.toml, overrides it with the environment, validates and freezes it. Throws an error for the first invalid
 * value, and in production for a missing or unsafe setting.
 */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const profile = profileOf(env.NODE_ENV)
  const file = parse(readFileSync(new URL('./config.toml', import.meta.url), 'utf8')) as Sections
  const settings = withEnvironment(ofProfile(file, profile), env)
  const result = settingsSchema.safeParse(settings)
  if (!result.success) throw new Error(firstProblem(result.error, settings))
  const config = { profile, ...result.data }
  const problem = conflictingUrls(config.database)
  if (problem !== null) throw new Error(problem)
  if (profile === 'production') refuseUnsafe(config)
  for (const section of Object.values(config)) Object.freeze(section)
  return Object.freeze(config)
}

type Section = Record<string, unknown>
type Sections = Record<string, Section>

function profileOf(name = 'development'): Profile {
  const profile = PROFILES.find((profile) => profile === name)
  if (profile === undefined) throw new Error(`NODE_ENV is "${name}". Valid values: ${PROFILES.join(', ')}.`)
  return profile
}

function ofProfile(file: Sections, profile: Profile): Sections {
  const common = Object.entries(file).filter(([name]) => !PROFILES.includes(name as Profile))
  const own = (file[profile] ?? {}) as Sections
  const names = new Set([...common.map(([name]) => name), ...Object.keys(own)])
  return Object.fromEntries([...names].map((name) => [name, { ...file[name], ...own[name] }]))
}

/** Environment variables with names of their own. */
export const SHORT_NAMES = new Map<string, [section: string, key: string]>([
  ['PORT', ['server', 'port']],
  ['HOST', ['server', 'host']],
  ['BASE_URL', ['server', 'base_url']],
  ['DATABASE_URL', ['database', 'url']],
  ['DATA_DIR', ['database', 'data_dir']],
])

const isShort = ([name]: [name: string, value: unknown]) => Number(SHORT_NAMES.has(name))

function withEnvironment(settings: Sections, env: NodeJS.ProcessEnv): Sections {
  // Short names are applied last, so that PORT overrides SERVER__PORT.
  for (const [name, value] of Object.entries(env).toSorted((one, other) => isShort(one) - isShort(other))) {
    const [section, key] = SHORT_NAMES.get(name) ?? longName(name)
    // Compose files and CI systems pass an empty variable if it is not set.
    if (value !== undefined && value !== '' && Object.hasOwn(settings, section))
      settings[section] = { ...settings[section], [key]: value }
  }
  return settings
}

function longName(name: string): [section: string, key: string] {
  const [section = '', key = ''] = name.split('__')
  return name === name.toUpperCase() && key !== '' ? [section.toLowerCase(), key.toLowerCase()] : ['', '']
}

const SECRET_KEYS = /^(?:session\.secret|mail\.url|database\.(?:url|migration_url|replica_urls|shards))$/

function firstProblem(error: z.ZodError, settings: Sections): string {
  const [issue] = error.issues
  const [section = '', key = ''] = issue?.path.map(String) ?? []
  const names = [section, key].filter(Boolean)
  // The position of an entry in a list, such as database.replica_urls.1, since its URL contains a password.
  const path = (SECRET_KEYS.test(`${section}.${key}`) ? issue!.path : names).join('.')
  if (issue?.code === 'unrecognized_keys') {
    const keys = Object.keys(shapeOf(path))
    return `Unknown setting: ${[path, issue.keys[0]].filter(Boolean).join('.')}. Valid names: ${keys.join(', ')}.`
  }
  const value = SECRET_KEYS.test(`${section}.${key}`)
    ? 'set to an invalid value'
    : JSON.stringify(settings[section]?.[key])
  return `Invalid setting: ${path} is ${value}. Expected: ${issue?.message}.`
}

function shapeOf(path: string): object {
  if (path.startsWith('database.shards.')) return shardSettings.shape
  return settingsSchema.shape[path as keyof typeof settingsSchema.shape]?.shape ?? settingsSchema.shape
}
