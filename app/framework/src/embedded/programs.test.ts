import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { packagedPrograms, versionOf } from './programs.ts'

/** Returns a package whose Postgres needs a link that the real install script creates. */
function unlinkedPackage(links: object[]): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'pergola-programs-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  fs.cpSync(join(packagedPrograms(), '../../scripts'), join(folder, 'scripts'), { recursive: true })
  fs.writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  fs.mkdirSync(join(folder, 'native/bin'), { recursive: true })
  fs.writeFileSync(join(folder, 'native/libpq.5.18'), 'postgres (PostgreSQL) 18.4')
  fs.writeFileSync(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links))
  const postgres = `#!/bin/sh\ncat "$(dirname "$0")/../libpq.5"\n`
  fs.writeFileSync(join(folder, 'native/bin/postgres'), postgres, { mode: 0o755 })
  return join(folder, 'native/bin')
}

it('links the libraries of Postgres, because npm skips the install script', () => {
  const folder = unlinkedPackage([{ source: 'native/libpq.5.18', target: 'native/libpq.5' }])
  expect([versionOf(folder), versionOf(folder)]).toEqual(['18.4', '18.4'])
})

it('throws an error with the remedy for a Postgres that does not run', () => {
  expect(() => versionOf(unlinkedPackage([]))).toThrow(/libpq\.5.*Set DATABASE_URL, or run `npm ci`\.$/)
})
