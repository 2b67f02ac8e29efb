import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { afterAll } from 'vitest'
import type { Tables } from 'pergola'
import { catalogOf } from './catalog.ts'
import { testDatabase } from 'pergola/testing'
import { destroy } from '../scaffold/destroy.ts'
import { EMPTY_PROJECT, existingIn } from '../scaffold/existing.ts'
import { databaseOf, inChild, type Project } from '../scaffold/project/project.ts'
import { scaffoldsIn } from '../scaffold/project/record.ts'

const original = join(import.meta.dirname, '../..')
const COPIED = [
  'app',
  'cli',
  'views',
  'public',
  'e2e',
  'package.json',
  'tsconfig.json',
  'security.manifest.json',
]

export interface TestProject extends Project {
  /** Everything in it, by path. */
  files(): Record<string, string>
  /** When each file was last written. */
  times(): Record<string, number>
  /** What its database is made of. */
  catalog(): Promise<string[]>
  sql(text: string): Promise<void>
  /** Its database, and the address of it. */
  readonly db: Kysely<Tables>
  readonly url: string
}

/**
 * A copy of the project without tests and without scaffolded resources, and a migrated database of its own. Call it at the
 * top of a test file; it goes away with it.
 */
export async function testProject(): Promise<TestProject> {
  const root = mkdtempSync(join(tmpdir(), 'pergola-scaffold-'))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  const filter = (path: string) => !path.endsWith('.test.ts')
  for (const path of COPIED) cpSync(join(original, path), join(root, path), { recursive: true, filter })
  symlinkSync(join(original, 'node_modules'), join(root, 'node_modules'))
  const { db, url } = await testDatabase()
  const inDatabase: Project['inDatabase'] = (work) => work(databaseOf(db, join(root, 'app/db/migrations')))
  await destroyAll({ root, inDatabase })
  await inChild(root, ['routes', 'audit', '--write'])
  // In the copy nothing else is scaffolded: what is there is there from the beginning.
  const existing = await existingIn(root)
  const paths = () =>
    globSync('{app,cli,views,e2e,.data}/**/*', { cwd: root, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .concat(join(root, 'security.manifest.json'))
      .toSorted()
  return {
    root,
    db,
    url,
    existing: () => Promise.resolve(existing),
    manifest: () => inChild(root, ['routes', 'audit', '--json']),
    seeds: false,
    seed: () => Promise.resolve(),
    inDatabase,
    files: () => Object.fromEntries(paths().map((path) => [path, readFileSync(path, 'utf8')])),
    times: () => Object.fromEntries(paths().map((path) => [path, statSync(path).mtimeMs])),
    catalog: () => catalogOf(url),
    sql: async (text) => void (await db.executeQuery({ sql: text, parameters: [], query: {} } as never)),
  }
}

/** Whatever the application has scaffolded: no name in a test collides with it. */
async function destroyAll({ root, inDatabase }: Pick<Project, 'root' | 'inDatabase'>): Promise<void> {
  const project: Project = {
    root,
    inDatabase,
    // The original has them.
    uncommitted: () => [],
    existing: () => Promise.resolve(EMPTY_PROJECT),
    manifest: () => Promise.resolve(readFileSync(join(root, 'security.manifest.json'), 'utf8')),
    seeds: false,
    seed: () => Promise.resolve(),
  }
  const refused = new Set<string>()
  // One that another refers to goes after it.
  for (let count = 0; count !== scaffoldsIn(root).length;) {
    count = scaffoldsIn(root).length
    refused.clear()
    for (const { names } of scaffoldsIn(root))
      await destroy(project, names.resource, { force: true }).catch((error: Error) =>
        refused.add(error.message),
      )
  }
  if (refused.size > 0) throw new Error([...refused].join('\n'))
}
