import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#app/config.ts'
import { isGuessable } from '#app/unsafe-settings.ts'
import { gitIfInstalled } from '../../project/git.ts'
import { type Finding, ok, wrong } from './finding.ts'

/** Checks that the secret that seals the cookies can't be guessed or read by other users. */
export function checkSecret({ session, database }: Config): Finding {
  if (session.secret.length === 0) return checkSecretFile(join(database.data_dir, 'session_secret'))
  // All of them, because each of them opens a cookie.
  if (!session.secret.some(isGuessable)) return ok('session-secret', 'The session secret is long enough.')
  return wrong(
    'session-secret',
    'SESSION__SECRET, or one of several, has few distinct characters and can be guessed.',
    'Generate one: openssl rand -base64 32',
  )
}

/** Checks the file of the generated development secret. */
function checkSecretFile(file: string): Finding {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return ok('session-secret', 'The first start creates a session secret.')
  // Windows has no file modes.
  if (process.platform === 'win32' || (stats.mode & 0o077) === 0)
    return ok('session-secret', `Only you can read ${file}.`)
  return wrong('session-secret', `Other users can read ${file}.`, `chmod 600 ${file}`)
}

/** Checks that .env, which contains secrets, is not in git. */
export function checkEnvFile(folder = process.cwd()): Finding {
  if (gitIfInstalled(['ls-files', '--error-unmatch', '.env'], { cwd: folder }) === null)
    return ok('env-file', '.env is not in git.')
  return wrong(
    'env-file',
    '.env is in git, with its secrets.',
    'git rm --cached .env, then replace the secrets',
  )
}
