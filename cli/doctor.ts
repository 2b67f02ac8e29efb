import type { Kysely } from 'kysely'
import type { Tables } from 'pergola'
import type { Config } from '#app/config.ts'
import { answer } from './answer.ts'
import { checkApis, checkManifest } from './doctor/check-code.ts'
import { checkConfiguration } from './doctor/check-configuration.ts'
import { checkCursorKeys, checkMigrations, checkServer, checkTypes } from './doctor/check-database.ts'
import { checkNode } from './doctor/check-node.ts'
import { checkPort } from './doctor/check-port.ts'
import { checkHttps, checkPeople } from './doctor/check-production.ts'
import { checkEnvFile, checkSecret } from './doctor/check-secret.ts'
import { type Finding, wrong } from './doctor/finding.ts'
import { inWords } from './doctor/in-words.ts'
import { EXIT } from './exit.ts'
import { sentenceOf } from './failure.ts'
import { onServer, openedFor } from './in-database.ts'

export async function doctorCommand({ json }: { json?: boolean }): Promise<void> {
  const { config, findings: settings } = checkConfiguration(process.env)
  const code = [checkNode(), ...settings, checkEnvFile(), ...(await checked('manifest', checkManifest))]
  const here = config === null ? [] : await checkInstallation(config)
  const findings = [...code, ...here]
  const isWell = findings.every(({ state }) => state !== 'wrong')
  answer(json, { ok: isWell, findings }, inWords(findings))
  if (!isWell) process.exitCode = EXIT.failed
}

async function checkInstallation(config: Config): Promise<Finding[]> {
  const isProduction = config.profile === 'production'
  return [
    checkSecret(config),
    ...(isProduction ? [checkHttps(config), ...checkApis()] : []),
    ...(await checked('port', () => checkPort(config))),
    ...(await checked('database', () =>
      onServer(config, (url) => openedFor(url, config, (db) => checkDatabase(db, isProduction))),
    )),
  ]
}

async function checkDatabase(db: Kysely<Tables>, isProduction: boolean): Promise<Finding[]> {
  const server = await checkServer(db)
  const migrations = await checkMigrations(db)
  // Of tables that are still to come there is nothing to say.
  if (migrations.state === 'wrong') return [...server, migrations]
  const people = isProduction ? await checked('demo-passwords', () => checkPeople(db)) : []
  const types = await checked('types', () => checkTypes(db))
  return [...server, migrations, ...types, ...(await checkCursorKeys(db)), ...people]
}

/** A check that fails is a finding: the others are still to be asked. */
async function checked(
  id: string,
  check: () => Finding | Finding[] | Promise<Finding | Finding[]>,
): Promise<Finding[]> {
  try {
    return [await check()].flat()
  } catch (error) {
    return [wrong(id, sentenceOf(error) ?? 'It could not be looked at.', TODO.get(id) ?? 'Mend this first.')]
  }
}

const TODO = new Map([
  ['database', 'Start the database, correct DATABASE_URL, or create it: npx cli db prepare'],
  ['types', 'npx cli db types --check'],
])
