import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#app/config.ts'
import { type Finding, ok, wrong } from './finding.ts'

/** Fewer different characters than this were typed, not drawn. */
const DISTINCT = 12

/** Whether what seals the cookies can be guessed, or read by others. */
export function checkSecret({ session, database }: Config): Finding {
  if (session.secret === '') return checkOwnSecret(join(database.data_dir, 'session_secret'))
  if (new Set(session.secret).size >= DISTINCT)
    return ok('session-secret', 'The secret of sessions is long enough.')
  return wrong(
    'session-secret',
    'SESSION__SECRET has few different characters, and can be guessed.',
    'Draw one: openssl rand -base64 32',
  )
}

/** The one that development makes by itself. */
function checkOwnSecret(file: string): Finding {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return ok('session-secret', 'The first start makes a secret for sessions.')
  // Windows knows no such modes.
  if (process.platform === 'win32' || (found.mode & 0o077) === 0)
    return ok('session-secret', `${file} is yours alone.`)
  return wrong('session-secret', `${file} can be read by others.`, `chmod 600 ${file}`)
}

/** Whether git keeps the file that secrets are written in. */
export function checkEnvFile(folder = process.cwd()): Finding {
  try {
    execFileSync('git', ['ls-files', '--error-unmatch', '.env'], { cwd: folder, stdio: 'ignore' })
  } catch {
    return ok('env-file', '.env is not in git.')
  }
  return wrong(
    'env-file',
    '.env is in git, with every secret in it.',
    'git rm --cached .env, then replace the secrets',
  )
}
