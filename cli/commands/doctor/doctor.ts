import type { Kysely } from 'kysely'
import type { Tables } from 'pergola'
import { databasesOf, urlSetting } from 'pergola/database'
import type { Config } from '#app/config.ts'
import { printResult } from '../../print-result.ts'
import { checkApis, checkManifest } from './check-code.ts'
import { checkConfiguration } from './check-configuration.ts'
import {
  checkColumns,
  checkOrders,
  checkEngine,
  checkListIndexes,
  checkMigrations,
  checkServer,
  checkTypes,
} from './check-database.ts'
import { checkGit } from './check-git.ts'
import { checkMail } from './check-mail.ts'
import { checkNode } from './check-node.ts'
import { checkPort } from './check-port.ts'
import {
  checkAccounts,
  checkAddress,
  checkConnections,
  checkLog,
  checkPoolSize,
  checkReplicas,
  checkSecurityTxt,
  checkSessions,
  checkShutdown,
} from './check-production.ts'
import { checkEnvFile, checkSecret } from './check-secret.ts'
import { type Finding, wrong } from './finding.ts'
import { findingsText } from './findings-text.ts'
import { EXIT } from '../../exit.ts'
import { errorText } from '../../failure.ts'
import { onServer, openedFor } from '../../in-database.ts'

export async function doctorCommand({ json }: { json?: boolean }): Promise<void> {
  const { config, findings: settings } = checkConfiguration(process.env)
  const code = [checkNode(), ...settings, checkEnvFile(), ...(await checked('manifest', checkManifest))]
  const installation = config === null ? [] : await checkInstallation(config)
  const findings = [...code, ...installation]
  const isOk = findings.every(({ state }) => state !== 'wrong')
  printResult(json, { ok: isOk, findings }, findingsText(findings))
  if (!isOk) process.exitCode = EXIT.failed
}

async function checkInstallation(config: Config): Promise<Finding[]> {
  const isProduction = config.profile === 'production'
  return [
    checkSecret(config),
    ...checkSecurityTxt(config),
    ...(isProduction
      ? [checkAddress(config), checkLog(config), checkPoolSize(config), checkShutdown(config), ...checkApis()]
      : [checkGit()]),
    ...(await checked('port', () => checkPort(config))),
    ...(await checked('mail', () => checkMail(config))),
    ...(await checkDatabases(config)),
  ]
}

/** Checks the database, or that of each shard. The ids of its findings then begin with its name: `eu/migrations`. */
async function checkDatabases(config: Config): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const one of databasesOf(config)) {
    const remedy = `Start the database, correct ${urlSetting(one)}, or create it: npx cli db prepare`
    const check = () => onServer(one, (url) => openedFor(url, one, (db) => checkDatabase(db, url, one)))
    const found = await checked('database', check, remedy)
    const { shard } = one
    findings.push(...found.map((finding) => (shard === undefined ? finding : within(shard, finding))))
  }
  return findings
}

const within = (shard: string, finding: Finding): Finding => ({ ...finding, id: `${shard}/${finding.id}` })

async function checkDatabase(db: Kysely<Tables>, url: string, config: Config): Promise<Finding[]> {
  const isProduction = config.profile === 'production'
  const connections = isProduction ? await checked('connections', () => checkConnections(db, config)) : []
  const sessions = isProduction ? await checked('sessions', () => checkSessions(url, config)) : []
  const replicas = await checked('replicas', () => checkReplicas(url, config))
  const server = [...(await checkServer(db)), ...checkEngine(db), ...connections, ...sessions, ...replicas]
  const migrations = await checkMigrations(db)
  const indexes = await checked('list-indexes', () => checkListIndexes(db))
  // The other checks require that all migrations have run. Indexes of large tables are better created before.
  if (migrations.state === 'wrong')
    return [...server, migrations, ...indexes.filter(({ state }) => state !== 'ok')]
  const accounts = isProduction ? await checked('demo-passwords', () => checkAccounts(db)) : []
  const types = await checked('types', () => checkTypes(db), 'npx cli db types --check')
  const columns = await checkColumns(db)
  const orders = await checkOrders(db)
  return [...server, migrations, ...types, ...columns, ...orders, ...indexes, ...accounts]
}

/** Runs a check. An error becomes a finding, so that the other checks still run. */
async function checked(
  id: string,
  check: () => Finding | Finding[] | Promise<Finding | Finding[]>,
  remedy = 'Fix this first.',
): Promise<Finding[]> {
  try {
    return [await check()].flat()
  } catch (error) {
    return [wrong(id, errorText(error) ?? 'The check failed.', remedy)]
  }
}
