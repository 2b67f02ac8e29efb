import { createHash } from 'node:crypto'
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { afterAll } from 'vitest'
import type { Tables } from 'pergola'
import { catalogOf } from './catalog.ts'
import { testDatabase } from 'pergola/testing'
import { destroy } from '../scaffold/destroy-resource.ts'
import { existingIn } from '../scaffold/existing.ts'
import { EMPTY_PROJECT } from './empty-project.ts'
import { databaseOf, inChild, type Project } from '../scaffold/project/project.ts'
import { scaffoldsIn } from '../scaffold/project/record.ts'

const original = join(import.meta.dirname, '../..')
const MANIFEST = 'security.manifest.json'
const COPIED = ['app', 'cli', 'views', 'public', 'e2e', 'package.json', 'tsconfig.json', MANIFEST]

export interface TestProject extends Project {
  /** Returns the contents of all files by path. */
  files(): Record<string, string>
  /** Returns the modification times of all files by path. */
  times(): Record<string, number>
  /** Returns the schema of the project's database. */
  catalog(): Promise<string[]>
  sql(text: string): Promise<void>
  /** The project's database. */
  readonly db: Kysely<Tables>
  readonly url: string
}

/**
 * Creates a copy of the project with its own migrated database, but without tests and scaffolded resources. Call it at the
 * top of a test file. The copy is deleted after the tests of the file.
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
  // Read once: no other process scaffolds in the copy.
  const existing = await existingIn(root)
  const paths = () =>
    globSync('{app,cli,views,e2e,.data}/**/*', { cwd: root, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .concat(join(root, MANIFEST))
      .toSorted()
  const files = () => Object.fromEntries(paths().map((path) => [path, readFileSync(path, 'utf8')]))
  const manifest = manifestOf(root, files)
  writeFileSync(join(root, MANIFEST), await manifest())
  return {
    root,
    db,
    url,
    existing: () => Promise.resolve(existing),
    manifest,
    seeds: false,
    seed: () => Promise.resolve(),
    inDatabase,
    files,
    times: () => Object.fromEntries(paths().map((path) => [path, statSync(path).mtimeMs])),
    catalog: () => catalogOf(url),
    sql: async (text) => void (await db.executeQuery({ sql: text, parameters: [], query: {} } as never)),
  }
}

/**
 * Returns a function that reads the manifest of the code in another process, which takes seconds. It reads the manifest of
 * equal code once.
 */
function manifestOf(root: string, files: () => Record<string, string>): () => Promise<string> {
  const manifests = new Map<string, Promise<string>>()
  return () => {
    const code = Object.entries(files()).filter(([path]) => path.endsWith('.ts') || path.endsWith('.toml'))
    const digest = createHash('sha256').update(JSON.stringify(code)).digest('hex')
    const manifest = manifests.get(digest) ?? inChild(root, ['routes', 'audit', '--json'])
    manifests.set(digest, manifest)
    return manifest
  }
}

/** Removes the application's scaffolded resources, so that names in tests don't collide with them. */
async function destroyAll({ root, inDatabase }: Pick<Project, 'root' | 'inDatabase'>): Promise<void> {
  const project: Project = {
    root,
    inDatabase,
    // Uncommitted files may be removed from the copy, because the original project still has them.
    uncommitted: () => [],
    existing: () => Promise.resolve(EMPTY_PROJECT),
    manifest: () => Promise.resolve(readFileSync(join(root, MANIFEST), 'utf8')),
    seeds: false,
    seed: () => Promise.resolve(),
  }
  const refused = new Set<string>()
  // A resource can be removed only after the resources that refer to it.
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
