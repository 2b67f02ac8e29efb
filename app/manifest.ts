import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Express } from 'express'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { pino } from 'pino'
import { type Routes, type Tables } from 'pergola'
import { type Manifest, type ManifestParts, securityManifest, type Source } from 'pergola/manifest'
import { createApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { routeTables } from './pages.ts'
import { resources } from './resources.ts'

/** Values for the required settings. They don't affect the manifest, except that the base URL begins with https. */
const PLACEHOLDERS = {
  BASE_URL: 'https://example.org',
  DATABASE_URL: 'postgres://nobody@nowhere.invalid/nothing',
  DATABASE__SHARDS: '[]',
  SESSION__SECRET: 'a placeholder that seals no cookie',
}

export interface ProductionApp {
  config: Config
  app: Express
  tables: Routes[]
}

/** Creates the application with config.toml's production settings, without this machine's environment or a database. */
export function productionApp(): ProductionApp {
  const config = readConfig({ NODE_ENV: 'production', ...PLACEHOLDERS })
  const log = pino({ level: 'silent' })
  const app = createApp({ config, db: noDatabase(), log, resources, ready: () => Promise.resolve(false) })
  return { config, app, tables: routeTables(config, resources) }
}

/** Returns the security manifest: the access rules of every route in production. */
export const productionManifest = (production?: ProductionApp): Manifest =>
  securityManifest(manifestParts(production))

/** Returns the application and the source files that the manifest describes. */
export function manifestParts({ config, app, tables }: ProductionApp = productionApp()): ManifestParts {
  const sources = applicationSources()
  return {
    app,
    tables,
    developmentTables: routeTables(readConfig({ NODE_ENV: 'development' }), resources),
    resources,
    allowsUnauthorizedApis: config.security.allow_unauthorized_repository_api,
    settings: settingsOf(config),
    sources: sources.filter(({ file }) => isOwn(file)),
    otherSources: sources.filter(({ file }) => !isOwn(file)),
    requestSources: REQUEST_FILES.flatMap((file) => importedSource(file) ?? []),
    importedSource,
    functions: ['startSession'],
  }
}

/** Returns the settings that affect access. */
const settingsOf = ({ accounts, session }: Config) =>
  Object.fromEntries([
    ...Object.entries(accounts).map(([name, value]) => [`accounts.${name}`, value]),
    ['session.idle_minutes', session.idle_minutes],
    ['session.lifetime_hours', session.lifetime_hours],
  ])

/** Files that decide about every request. The manifest has a digest of each. */
const REQUEST_FILES = [
  'app/app.ts',
  'app/dev/development-routes.ts',
  'app/http-settings.ts',
  'app/manifest.ts',
  'app/own-hosts.ts',
  'app/pages.ts',
  'app/server.ts',
  'app/sessions/throttle.ts',
  'app/shard-of.ts',
  'app/users/password.ts',
  'app/users/roles.ts',
]

const root = join(import.meta.dirname, '..')
const OTHER_FOLDERS = [
  'app/framework',
  'app/test',
  'cli/test',
  'cli/test-support',
  'e2e',
  'node_modules',
  'public',
]
const NOT_IN_PRODUCTION = /\.(?:test|factory|config)\.[cm]?[jt]s$/

/**
 * Returns the application's code that runs in production, wherever it is: without the framework, tests, test helpers and
 * factories. The manifest adds those that other code imports.
 */
const applicationSources = (): Source[] =>
  globSync('**/*.{ts,js,mts,mjs,cts,cjs}', { cwd: root, exclude: (file) => isOther(file) })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !NOT_IN_PRODUCTION.test(file))
    .map(sourceOf)

const isOther = (file: string): boolean => {
  const path = file.replaceAll('\\', '/')
  return OTHER_FOLDERS.includes(path) || /(?:^|\/)(?:\.|node_modules)/.test(path)
}

const sourceOf = (file: string): Source => ({ file, text: readFileSync(join(root, file), 'utf8') })

/** Returns a file of the application. Undefined for a file that doesn't exist. */
function importedSource(file: string): Source | undefined {
  const isFile = !file.startsWith('app/framework/') && existsSync(join(root, file))
  return isFile ? sourceOf(file) : undefined
}

/** Returns whether a file may serve a request: migrations don't, and an upgrade replaces `cli/`. */
const isOwn = (file: string): boolean => !/^(?:cli|app\/db\/(?:migrations|later))\//.test(file)

function noDatabase(): Kysely<Tables> {
  return new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}
