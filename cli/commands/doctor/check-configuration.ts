import { type Config, readConfig } from '#app/config.ts'
import { type Finding, ok, wrong } from './finding.ts'

/** The settings that production requires, each with a valid value, so that each can be checked separately. */
const REQUIRED = [
  ['database-url', 'DATABASE_URL', 'postgres://nobody@nowhere.invalid/nothing'],
  ['base-url', 'BASE_URL', 'https://example.org'],
  ['session-secret', 'SESSION__SECRET', 'a placeholder that seals no cookie'],
  ['demo-accounts', 'ACCOUNTS__DEMO', 'false'],
] as const

const TODO = 'Correct the setting in the environment, in .env or in app/config.toml.'

/** Returns the configuration, or null if it is invalid, and the findings about it. */
export function checkConfiguration(env: NodeJS.ProcessEnv): { config: Config | null; findings: Finding[] } {
  const findings = REQUIRED.flatMap(([id, name]) => problemWith(env, id, name) ?? [])
  try {
    const config = readConfig(env)
    return { config, findings: [ok('configuration', `The ${config.profile} configuration is valid.`)] }
  } catch (error) {
    const other = wrong('configuration', (error as Error).message, TODO)
    return { config: null, findings: findings.length > 0 ? findings : [other] }
  }
}

/** Returns the problem of one setting. Uses valid values for the other settings. */
function problemWith(env: NodeJS.ProcessEnv, id: string, name: string): Finding | null {
  if (env.NODE_ENV !== 'production') return null
  const others: string[][] = REQUIRED.flatMap(([, other, value]) => (other === name ? [] : [[other, value]]))
  // No shards are allowed beside DATABASE_URL.
  if (name !== 'DATABASE_URL') others.push(['DATABASE__SHARDS', '[]'])
  try {
    readConfig({ ...env, ...Object.fromEntries(others) })
    return null
  } catch (error) {
    return wrong(id, (error as Error).message, TODO)
  }
}
