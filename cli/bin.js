#!/usr/bin/env node
import { existsSync } from 'node:fs'

// A copy of this file, or one in a clone that nobody installed, has nothing to run.
const isThere = (path) => existsSync(new URL(path, import.meta.url))
const problem =
  (!(isThere('./main.ts') && isThere('../app/app.ts')) &&
    'This cli is in no Pergola project: run the one of a clone, with `npx cli` in one of its folders.') ||
  (!isThere('../node_modules/commander/package.json') && 'Nothing is installed yet: run `npm ci` first.')

if (problem) {
  console.error(problem)
  process.exitCode = 1
} else {
  await import('./check-node.js')
  await import('./main.ts')
}
