import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Express } from 'express'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { pino } from 'pino'
import { type Routes, type Tables } from 'pergola'
import { type Manifest, securityManifest } from 'pergola/manifest'
import { createApp, routeTables } from './app.ts'
import { type Config, readConfig } from './config.ts'
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
export function productionManifest(
  { config, app, tables }: ProductionApp = productionApp(),
  sources = applicationSources(),
): Manifest {
  return securityManifest({
    app,
    tables,
    developmentTables: routeTables(readConfig({ NODE_ENV: 'development' }), resources),
    resources,
    allowsUnauthorizedApis: config.security.allow_unauthorized_repository_api,
    sources,
    // The same objects, which are parsed once.
    ownSources: ownSources(sources),
  })
}

const root = join(import.meta.dirname, '..')
const NOT_THE_APPLICATION = /\.(?:test|factory)\.ts$|^app\/(?:framework|test)\/|^cli\/test/

/** Returns the application's code that runs in production: without tests, test helpers, factories and the framework. */
export function applicationSources() {
  return globSync('{app,cli}/**/*.ts', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !NOT_THE_APPLICATION.test(file))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}

/** Returns the sources that may serve a request: without migrations, and without `cli/`, which an upgrade replaces. */
export const ownSources = (sources = applicationSources()) =>
  sources.filter(({ file }) => file.startsWith('app/') && !file.startsWith('app/db/migrations/'))

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
