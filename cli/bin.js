#!/usr/bin/env node
import { existsSync, lstatSync } from 'node:fs'
import * as module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Without a clone around this file, or without the packages of the clone, no command can run.
const exists = (path) => existsSync(new URL(path, import.meta.url))
const problem =
  (!(exists('./main.ts') && exists('../app/app.ts')) &&
    'This is not a Pergola project. Run `npx cli` in a folder of your clone.') ||
  (!exists('../node_modules/commander/package.json') && 'The packages are not installed. Run `npm ci` first.')

if (problem) {
  console.error(problem)
  process.exitCode = 1
} else {
  await import('./check-node.js')
  cacheCompiledCode()
  await import('./main.ts')
}

/**
 * Caches compiled code, including TypeScript without its types, which halves the start time of the next command. Does
 * nothing if the folder is not writable, or if node_modules is a link to another clone's packages.
 */
function cacheCompiledCode() {
  const packages = fileURLToPath(new URL('../node_modules', import.meta.url))
  if (!lstatSync(packages).isSymbolicLink()) module.enableCompileCache(join(packages, '.cache/compiled'))
}
