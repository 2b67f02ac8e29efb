import { existsSync } from 'node:fs'
import type { Express } from 'express'
import type { Logger } from 'pino'
import {
  endInOrder,
  listen,
  portOf,
  strayRoutes,
  straySentences,
  unauthorizedApis,
  unlockedReads,
} from 'pergola/app'
import { missingIndexes, serveDatabases, withPatientDatabase } from 'pergola/database'
import { addressesOf } from 'pergola/scale'
import { createApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { canServe, checkDatabase } from './check-database.ts'
import { migrate } from './db/migrate.ts'
import { seed } from './db/seed.ts'
import { loadAhead } from './load-ahead.ts'
import { makeLog } from './log.ts'
import { refuseUndelivered, sendMailsOf } from './mails/mail-settings.ts'
import { routeTables } from './pages.ts'
import { resources } from './resources.ts'
import { secretsOf } from './sessions/session-secret.ts'
import { shardOf } from './shard-of.ts'
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from './users/demo-accounts.ts'

// Loads .env before the configuration is read, because .env can set NODE_ENV.
if (process.env.NODE_ENV !== 'test' && existsSync('.env')) process.loadEnvFile()
process.env.NODE_ENV ??= 'production'

try {
  if (process.env.NODE_ENV === 'production') await loadAhead()
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
  for (const problem of unlockedReads(resources)) log.warn(problem)
  refuseUndelivered(config)
  const databases = await serveDatabases(config, {
    log,
    ...(config.profile !== 'production' && { prepare }),
    onOpen: sendMailsOf,
    check: checkDatabase,
    canServe: (db) => canServe(db, config),
  })

  let isEnding = false
  const ready = async () => !isEnding && (await databases.canServe())
  const { db, isStarted } = databases
  const app = createApp({ config, db, log, resources, ready, isStarted })
  refuseStrayRoutes(app, config)
  const { host, port, trust_proxy, queue_timeout_ms, connections_per_client, log_callers } = config.server
  const server = await listen(app, {
    host,
    port,
    behindProxy: trust_proxy > 0,
    queueTimeout: queue_timeout_ms,
    connectionsPerClient: connections_per_client,
    logCallers: log_callers,
    log,
  })
  endInOrder({
    server,
    log,
    linger: config.server.linger_seconds * 1_000,
    grace: config.server.drain_seconds * 1_000,
    begin: () => (isEnding = true),
    finish: databases.end,
  })
  // `npm run dev` forwards requests to this port.
  process.send?.({ port: portOf(server) })
  const base = config.server.base_url ?? `http://localhost:${portOf(server)}`
  welcome(config, { port: portOf(server), addresses: addressesOf(base, db, shardOf) })
  await databases.startOthers()
}

function withSecret(config: Config): Config {
  return { ...config, session: { ...config.session, secret: [...secretsOf(config)] } }
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

async function prepare(url: string, { accounts, profile, shard }: Config, log: Logger): Promise<void> {
  const name = shard === undefined ? '' : ` in ${shard}`
  await withPatientDatabase(url, { log }, async (db) => {
    const inDevelopment = { onDraft: printDraft, onLost: (...lost: Lost) => void warnOfLost(log, ...lost) }
    const migrated = await migrate(db, profile === 'development' ? inDevelopment : undefined)
    for (const migration of migrated) console.log(`  migrated ${migration}${name}`)
    for (const table of accounts.demo ? await seed(db) : []) console.log(`  seeded ${table}${name}`)
    const missing = profile === 'development' ? await missingIndexes(resources, db) : []
    for (const { problem, remedies } of missing) log.warn(`${problem} Execute: ${remedies.join('; ')}`)
  })
}

// A declaration, because the server starts before the end of this file.
function printDraft(name: string): void {
  console.log(`  skipped ${name}. It is a draft: write it, then remove its isDraft.`)
}

type Lost = [migration: string, count: number]

/** The migration of another branch, whose tables or columns this one doesn't know. */
async function warnOfLost(log: Logger, ...[migration, count]: Lost): Promise<void> {
  const { notices } = await import('pergola/dev')
  const problem = `The migration ${migration} ran in this database, and this branch has no file of it.`
  const notice = `${problem} Revert it: npx cli db rollback ${count}. Or begin with an empty database: npx cli db reset.`
  if (notices.includes(notice)) return
  notices.push(notice)
  log.warn(notice)
}

interface Listening {
  port: number
  /** Those of the shards, if they are known. */
  addresses: readonly string[]
}

function welcome({ app, profile, accounts, server }: Config, { port, addresses }: Listening): void {
  if (profile === 'production') return console.log(`Listening on http://${server.host}:${port}`)
  const places = addresses.join(' and ') || `port ${port}. app/shard-of.ts decides which hosts are in a shard`
  console.log(`\n  ${app.name} is at ${places}\n`)
  if (!accounts.demo) return
  for (const { email, roles } of DEMO_ACCOUNTS)
    console.log(`  ${email.padEnd(20)} ${DEMO_PASSWORD}   ${roles.join()}`.trimEnd())
  console.log('')
}
