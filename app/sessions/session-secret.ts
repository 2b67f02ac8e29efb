import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The secret of a development machine: made once, kept in `dataDir`, readable by its owner alone. */
export function developmentSecret(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true })
  const file = join(dataDir, 'session_secret')
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 })
  try {
    // A link appears whole or not at all: whoever comes second reads what the first one wrote.
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  const secret = readFileSync(file, 'utf8')
  if (secret.length < 32)
    throw new Error(`${file} is no secret of ours: remove it, and the next start makes a new one.`)
  return secret
}
