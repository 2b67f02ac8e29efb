import { existsSync } from 'node:fs'
import type { Express } from 'express'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import {
  endInOrder,
  listen,
  cursorKeyProblems,
  portOf,
  readColumns,
  type Tables,
  unauthorizedApis,
} from 'pergola'
import { strayRoutes, straySentences } from 'pergola/manifest'
import { createApp, routeTables } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { migrate, pendingMigrations } from './db/migrate.ts'
import { databaseServer, openDatabase, withPatientDatabase } from './db/open.ts'
import { seed } from './db/seed.ts'
import { makeLog } from './log.ts'
import { resources } from './resources.ts'
import { developmentSecret } from './sessions/session-secret.ts'
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from './users/demo-accounts.ts'
import { openDemoAccount } from './users/open-demo-account.ts'

// Loads .env before the configuration is read, because .env can set NODE_ENV.
if (process.env.NODE_ENV !== 'test' && existsSync('.env')) process.loadEnvFile()
process.env.NODE_ENV ??= 'production'

try {
  await start(withSecret(readConfig()))
} catch (error) {
  const { message, cause } = error as Error
  console.error(process.env.NODE_ENV === 'development' ? error : [message, cause].filter(Boolean).join(': '))
  process.exit(1)
}

/** Starts the server. In development and test it also migrates and seeds the database. */
async function start(config: Config): Promise<void> {
  const log = makeLog(config)
  refuseOpenApis(config, log)
  const { url, leave } = await databaseServer(config)
  if (config.profile !== 'production') await prepare(url, config, log)
  const db = openDatabase(url, config, log)
  if (config.profile === 'production') await refuseDemoAccounts(db)
  await readColumns(resources, db)
  for (const problem of await cursorKeyProblems(resources, db)) throw new Error(problem)

  let draining = false
  const ready = async () => !draining && (await pendingMigrations(db)).length === 0
  const app = createApp({ config, db, log, resources, ready })
  refuseStrayRoutes(app, config)
  const { host, port, trust_proxy } = config.server
  const server = await listen(app, { host, port, behindProxy: trust_proxy > 0 })
  endInOrder({
    server,
    log,
    grace: config.server.drain_seconds * 1_000,
    begin: () => (draining = true),
    finish: async () => {
      await db.destroy()
      leave()
    },
  })
  welcome(config, portOf(server))
}

function withSecret(config: Config): Config {
  if (config.session.secret !== '') return config
  return { ...config, session: { secret: developmentSecret(config.database.data_dir) } }
}

function refuseOpenApis({ profile, security }: Config, log: Logger): void {
  for (const problem of unauthorizedApis(resources)) {
    if (profile === 'production' && !security.allow_unauthorized_repository_api) throw new Error(problem)
    log.warn(problem)
  }
}

/** Throws if a route was mounted without a route table: such a route has no access guard. */
function refuseStrayRoutes(app: Express, config: Config): void {
  const [problem] = straySentences(strayRoutes(app, routeTables(config, resources)))
  if (problem !== undefined) throw new Error(problem)
}

async function prepare(url: string, { accounts }: Config, log: Logger): Promise<void> {
  await withPatientDatabase(url, log, async (db) => {
    for (const name of await migrate(db)) console.log(`  migrated ${name}`)
    for (const table of accounts.demo ? await seed(db) : []) console.log(`  seeded ${table}`)
  })
}

async function refuseDemoAccounts(db: Kysely<Tables>): Promise<void> {
  if ((await pendingMigrations(db)).length > 0) return
  const problem = await openDemoAccount(db)
  if (problem !== null) throw new Error(`Production: ${problem}`)
}

function welcome({ app, profile, accounts, server }: Config, port: number): void {
  if (profile === 'production') return console.log(`Listening on ${server.host}:${port}.`)
  console.log(`\n  ${app.name} is at http://localhost:${port}\n`)
  if (!accounts.demo) return
  for (const { email, roles } of DEMO_ACCOUNTS)
    console.log(`  ${email.padEnd(20)} ${DEMO_PASSWORD}   ${roles.join()}`)
  console.log('')
}
