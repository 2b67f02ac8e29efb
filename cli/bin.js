#!/usr/bin/env node
import { existsSync, lstatSync } from 'node:fs'
import * as module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// A copy of this file, or one in a clone that nobody installed, has nothing to run.
const isThere = (path) => existsSync(new URL(path, import.meta.url))
const problem =
  (!(isThere('./main.ts') && isThere('../app/app.ts')) &&
    'This cli is in no Pergola project: run the one of a clone, with `npx cli` in one of its folders.') ||
  (!isThere('../node_modules/commander/package.json') && 'Nothing is installed yet: run `npm ci` first.')

// An interrupted upgrade may have left files of two versions: what finishes it is a copy that needs none of them.
const finish = '../.data/upgrade/finish.js'
const isInterrupted = isThere('../.data/upgrade/journal.json')
const [command, ...words] = process.argv.slice(2)

if (isInterrupted && command === 'upgrade' && (words.includes('--resume') || words.includes('--roll-back'))) {
  await import(finish)
} else if (isInterrupted) {
  console.error(
    'An upgrade is not finished. `npx cli upgrade --resume` finishes it, `npx cli upgrade --roll-back` restores the files.',
  )
  process.exitCode = 5
} else if (problem) {
  console.error(problem)
  process.exitCode = 1
} else {
  await import('./check-node.js')
  cacheCompiledCode()
  await import('./main.ts')
}

/**
 * Keeps what Node compiles, TypeScript without its types included, for the next command, which starts in half the time.
 * Without the right to write there, and in a copy that borrows the packages of another clone, commands run without it.
 */
function cacheCompiledCode() {
  const packages = fileURLToPath(new URL('../node_modules', import.meta.url))
  if (!lstatSync(packages).isSymbolicLink()) module.enableCompileCache(join(packages, '.cache/compiled'))
}
