import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#app/config.ts'

/** Returns the secrets of SESSION__SECRET, or that of development. */
export const secretsOf = ({ session, database }: Config): readonly string[] =>
  session.secret.length > 0 ? session.secret : [developmentSecret(database.data_dir)]

/** Returns the development secret. It is created once, in a file in `dataDir` that only its owner can read. */
export function developmentSecret(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true })
  const file = join(dataDir, 'session_secret')
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 })
  try {
    // link() is atomic: if another process was faster, its file is read below.
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  const secret = readFileSync(file, 'utf8')
  if (secret.length < 32)
    throw new Error(`${file} does not contain a valid secret. Delete it: the next start creates a new one.`)
  return secret
}
