import { spawnSync } from 'node:child_process'
import { parse } from 'smol-toml'

/** Returns false for code with a syntax error, such as a name that is declared twice. True for other kinds of files. */
export function isValidCode(path: string, text: string): boolean {
  if (path.endsWith('.toml')) return isToml(text)
  if (!/\.[cm]?[jt]s$/.test(path)) return true
  const script = run(['--no-warnings', '--eval', WITHOUT_TYPES], text)
  return script.status === 0 && run(['--check', '--input-type=module', '-'], script.stdout).status === 0
}

function isToml(text: string): boolean {
  try {
    return parse(text) !== null
  } catch {
    return false
  }
}

// A process of its own, because this function of Node prints a warning.
const WITHOUT_TYPES = `
  const text = require('node:fs').readFileSync(0, 'utf8')
  process.stdout.write(require('node:module').stripTypeScriptTypes(text))`

const run = (args: readonly string[], input: string) =>
  spawnSync(process.execPath, args, { input, encoding: 'utf8' })
