import { z } from 'zod'
import { parsedJson } from '../resource/parsed-json.ts'

const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'postgres://user:password@host:port/database',
})

const postgresUrls = z.preprocess(
  (urls) => (typeof urls === 'string' ? urls.split(',').map((url) => url.trim()) : urls),
  z.array(postgresUrl, 'a list of postgres://user:password@host:port/database'),
)

const NAME = 'a name of up to 40 letters, digits and hyphens that begins with a letter, in lower case'
const SHARDS = 'a list like [{"name": "eu", "url": "postgres://user:password@host:port/database"}]'

/** The schema of one of `[[database.shards]]`. */
export const shardSettings = z.strictObject({
  name: z.string(NAME).regex(/^[a-z][a-z0-9-]{0,39}$/, NAME),
  /** Without it, the database is in the embedded Postgres of development and test. */
  url: postgresUrl.optional(),
  /** The URL of the commands that change tables. */
  migration_url: postgresUrl.optional(),
  replica_urls: postgresUrls.default([]),
})
type ShardSettings = z.output<typeof shardSettings>

/** The schemas of the URLs in the section `[database]`: of the database, or of each shard. Lists may also be text. */
export const databaseUrls = {
  url: postgresUrl.optional(),
  migration_url: postgresUrl.optional(),
  replica_urls: postgresUrls,
  shards: z
    .preprocess(
      (list) => (typeof list === 'string' ? parsedJson(list) : list),
      z.array(shardSettings, SHARDS),
    )
    .refine(
      (list) => new Set(list.map(({ name }) => name)).size === list.length,
      'a different name for each shard',
    )
    .refine(
      (list) =>
        areDifferent(list.map(({ url }) => url)) && areDifferent(list.map((one) => one.migration_url)),
      'a different host, port or database for each shard',
    )
    .default([]),
}

/** Returns whether no two URLs lead to the same database, whatever their users and parameters. */
function areDifferent(urls: readonly (string | undefined)[]): boolean {
  const databases = urls
    .filter((url) => url !== undefined)
    .map((url) => {
      const { hostname, port, pathname } = new URL(url)
      return `${hostname.toLowerCase()}:${port || 5432}${pathname}`
    })
  return new Set(databases).size === databases.length
}

type Urls = Omit<ShardSettings, 'name'>

/** The settings of the section `[database]`. Times are in milliseconds. */
export interface DatabaseSettings extends Urls {
  readonly shards: readonly ShardSettings[]
  readonly max_lag_ms: number
  readonly replica_timeout_ms: number
  readonly prepared: 'auto' | 'on' | 'off'
  /** The folder of the embedded Postgres. */
  readonly data_dir: string
  readonly pool_size: number
  readonly max_waiting: number
  readonly connect_timeout_ms: number
  readonly statement_timeout_ms: number
  readonly search_timeout_ms: number
  readonly lock_timeout_ms: number
}

/** The part of a configuration that decides which databases an application has. */
export interface DatabaseConfig {
  /** `development`, `test` or `production`. */
  readonly profile: string
  readonly database: DatabaseSettings
  /** The shard whose database this configuration has: see `databasesOf`. */
  readonly shard?: string
}

/** Returns a problem if shards and another database are set, since no request would read it. */
export function conflictingUrls({
  shards,
  ...own
}: Pick<DatabaseSettings, keyof Urls | 'shards'>): string | null {
  const { url, migration_url, replica_urls } = own
  const isSet = url !== undefined || migration_url !== undefined || replica_urls.length > 0
  if (shards.length === 0 || !isSet) return null
  return 'database.shards is set, and so is a url, migration_url or replica_urls of [database] itself. Expected: only those of each shard.'
}

/** Returns the configuration of each database: that of each shard, or `config` itself without shards. */
export function databasesOf<Config extends DatabaseConfig>(config: Config): Config[] {
  const { database, shard } = config
  if (shard !== undefined || database.shards.length === 0) return [config]
  return database.shards.map(({ name, url, migration_url, replica_urls }) => ({
    ...config,
    shard: name,
    database: { ...database, url, migration_url, replica_urls },
  }))
}

/** Returns the name of the setting with the URL of a database, for messages. */
export const urlSetting = ({ shard }: DatabaseConfig): string =>
  shard === undefined
    ? 'DATABASE_URL'
    : `the url of the shard ${shard} in DATABASE__SHARDS or app/config.toml`
