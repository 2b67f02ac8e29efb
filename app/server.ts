import { existsSync } from 'node:fs'
import type { Express } from 'express'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import {
  endInOrder,
  listen,
  missingIndexes,
  portOf,
  Shards,
  startDatabases,
  strayRoutes,
  straySentences,
  type Tables,
  unauthorizedApis,
} from 'pergola'
import { createApp, routeTables } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { canServe, checkDatabase } from './check-database.ts'
import { migrate } from './db/migrate.ts'
import { databaseServer, databasesOf, openDatabase, withPatientDatabase } from './db/open.ts'
import { seed } from './db/seed.ts'
import { makeLog } from './log.ts'
import { refuseUndelivered } from './mails/mail-settings.ts'
import { resources } from './resources.ts'
import { secretsOf } from './sessions/session-secret.ts'
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
  refuseUndelivered(config)
  const opened: Opened[] = []
  for (const one of databasesOf(config)) opened.push(await open(one, log))
  const isPatient = config.profile === 'production'
  const databases = await startDatabases(opened, { log, isPatient })

  let isEnding = false
  const ready = async () => !isEnding && (await databases.canServe())
  const { isStarted } = databases
  const app = createApp({ config, db: joined(opened), log, resources, ready, isStarted })
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
      await Promise.all(opened.map((one) => one.db.destroy()))
      for (const { leave } of opened) leave()
    },
  })
  // `npm run dev` forwards requests to this port.
  process.send?.({ port: portOf(server) })
  welcome(config, portOf(server))
  await databases.startOthers()
}

type Opened = Awaited<ReturnType<typeof open>>

/** Opens the database, or that of one shard. */
async function open(config: Config, log: Logger) {
  const { url, leave } = await databaseServer(config)
  if (config.profile !== 'production') await prepare(url, config, log)
  const db = openDatabase(url, config, log)
  const check = () => checkDatabase(db, config, log)
  return { db, leave, shard: config.shard, check, canServe: () => canServe(db) }
}

function joined(opened: readonly Opened[]): Kysely<Tables> | Shards {
  const shards = opened.flatMap(({ shard, db }) => (shard === undefined ? [] : [[shard, db] as const]))
  return shards.length > 0 ? Shards.of(shards) : opened[0]!.db
}

function withSecret(config: Config): Config {
  return { ...config, session: { secret: [...secretsOf(config)] } }
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
