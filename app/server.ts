import { existsSync } from 'node:fs'
import type { Express } from 'express'
import type { Logger } from 'pino'
import {
  endInOrder,
  isUnreachable,
  listen,
  missingIndexes,
  portOf,
  strayRoutes,
  straySentences,
  unauthorizedApis,
  untilReachable,
} from 'pergola'
import { createApp, routeTables } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { canServe, checkDatabase } from './check-database.ts'
import { migrate } from './db/migrate.ts'
import { databaseServer, openDatabase, withPatientDatabase } from './db/open.ts'
import { seed } from './db/seed.ts'
import { makeLog } from './log.ts'
import { resources } from './resources.ts'
import { developmentSecret } from './sessions/session-secret.ts'
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from './users/demo-accounts.ts'

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
  const check = () => checkDatabase(db, config)
  let isStarted = await isReachable(check, config)

  let isEnding = false
  const ready = async () => isStarted && !isEnding && (await canServe(db))
  const app = createApp({ config, db, log, resources, ready, isStarted: () => isStarted })
  refuseStrayRoutes(app, config)
  const { host, port, trust_proxy } = config.server
  const server = await listen(app, { host, port, behindProxy: trust_proxy > 0, log })
  endInOrder({
    server,
    log,
    linger: config.server.linger_seconds * 1_000,
    grace: config.server.drain_seconds * 1_000,
    begin: () => (isEnding = true),
    finish: async () => {
      await db.destroy()
      leave()
    },
  })
  // `npm run dev` forwards requests to this port.
  process.send?.({ port: portOf(server) })
  welcome(config, portOf(server))
  if (isStarted) return
  await untilReachable(check, (err) => log.error({ err }, 'the database is not reachable: trying again'))
  isStarted = true
}

/**
 * Returns true after `check`, and false if the database is down in production: the server then listens, answers 503, and
 * starts when the database is up. Throws any other error.
 */
async function isReachable(check: () => Promise<void>, { profile }: Config): Promise<boolean> {
  try {
    await check()
    return true
  } catch (error) {
    if (profile === 'production' && isUnreachable(error)) return false
    throw error
  }
}

function withSecret(config: Config): Config {
  if (config.session.secret.length > 0) return config
  return { ...config, session: { secret: [developmentSecret(config.database.data_dir)] } }
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

async function prepare(url: string, { accounts, profile }: Config, log: Logger): Promise<void> {
  await withPatientDatabase(url, { log }, async (db) => {
    for (const name of await migrate(db)) console.log(`  migrated ${name}`)
    for (const table of accounts.demo ? await seed(db) : []) console.log(`  seeded ${table}`)
    const missing = profile === 'development' ? await missingIndexes(resources, db) : []
    for (const { problem, remedies } of missing) log.warn(`${problem} Execute: ${remedies.join('; ')}`)
  })
}

function welcome({ app, profile, accounts, server }: Config, port: number): void {
  if (profile === 'production') return console.log(`Listening on http://${server.host}:${port}`)
  console.log(`\n  ${app.name} is at ${server.base_url ?? `http://localhost:${port}`}\n`)
  if (!accounts.demo) return
  for (const { email, roles } of DEMO_ACCOUNTS)
    console.log(`  ${email.padEnd(20)} ${DEMO_PASSWORD}   ${roles.join()}`)
  console.log('')
}
