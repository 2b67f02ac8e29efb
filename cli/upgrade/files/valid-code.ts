import { spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns whether code has no syntax error, such as a name that is declared twice. True for a file that is no code. */
export function isValidCode(path: string, text: string): boolean {
  if (!/\.[cm]?[jt]s$/.test(path)) return true
  using folder = mkdtempDisposableSync(join(tmpdir(), 'pergola-code-'))
  const file = join(folder.path, 'code.mjs')
  try {
    writeFileSync(file, stripTypeScriptTypes(text))
  } catch {
    return false
  }
  return spawnSync(process.execPath, ['--check', file]).status === 0
}
