import { type Config, readConfig } from '#app/config.ts'
import { type Finding, ok, wrong } from './finding.ts'

/** What production has to say, with a value that would do in its place, so that each is judged by itself. */
const NEEDED = [
  ['database-url', 'DATABASE_URL', 'postgres://nobody@nowhere.invalid/nothing'],
  ['base-url', 'BASE_URL', 'https://example.org'],
  ['session-secret', 'SESSION__SECRET', 'a placeholder that seals nothing at all'],
  ['demo-accounts', 'ACCOUNTS__DEMO', 'false'],
] as const

const TODO = 'Correct it in the environment, in .env or in app/config.toml.'

/** The configuration, null where it can't be used, and everything that is wrong with it. */
export function checkConfiguration(env: NodeJS.ProcessEnv): { config: Config | null; findings: Finding[] } {
  const findings = NEEDED.flatMap(([id, name]) => problemWith(env, id, name) ?? [])
  try {
    const config = readConfig(env)
    return { config, findings: [ok('configuration', `The ${config.profile} configuration is legal.`)] }
  } catch (error) {
    const other = wrong('configuration', (error as Error).message, TODO)
    return { config: null, findings: findings.length > 0 ? findings : [other] }
  }
}

/** What is wrong with one setting where the others are as they should be. */
function problemWith(env: NodeJS.ProcessEnv, id: string, name: string): Finding | null {
  if (env.NODE_ENV !== 'production') return null
  const others = NEEDED.filter(([, other]) => other !== name).map(([, other, value]) => [other, value])
  try {
    readConfig({ ...env, ...Object.fromEntries(others) })
    return null
  } catch (error) {
    return wrong(id, (error as Error).message, TODO)
  }
}
