import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ImportOptions, importsOf as importsIn } from './house/imports.ts'

const root = join(import.meta.dirname, '..')

/** The folders that each folder may import besides itself. A file belongs to the first matching folder. */
const FOLDERS: readonly [folder: string, mayImport: readonly string[]][] = [
  ['src/resource', []],
  ['src/pagination', ['src/http/html.ts', 'src/http/memoize.ts', 'src/resource/filter-controls.ts']],
  ['src/http', ['src/pagination', 'src/resource']],
  ['src/database', ['src/resource', 'src/http/errors.ts', 'src/http/overload/limiter.ts']],
  ['src/authorization', ['src/resource', 'src/http', 'src/database']],
  ['src/history', ['src/authorization', 'src/database', 'src/resource']],
  [
    'src/lists',
    [
      'src/history',
      'src/authorization',
      'src/database',
      'src/http/errors.ts',
      'src/http/memoize.ts',
      'src/pagination',
      'src/resource',
    ],
  ],
  ['src/writes', ['src/history', 'src/authorization', 'src/database', 'src/http/errors.ts', 'src/resource']],
  ['src/input', ['src/lists', 'src/writes', 'src/authorization', 'src/database', 'src/http', 'src/resource']],
  [
    'src/repository',
    [
      'src/lists',
      'src/writes',
      'src/input',
      'src/history',
      'src/authorization',
      'src/database',
      'src/http',
      'src/pagination',
      'src/resource',
    ],
  ],
  ['src/tasks', ['src/repository', 'src/lists', 'src/database', 'src/resource']],
  ['src/jobs', ['src/tasks', 'src/authorization', 'src/database', 'src/http', 'src/resource']],
  ['src/mail', ['src/jobs', 'src/http', 'src/database', 'src/resource']],
  ['src/events', ['src/authorization', 'src/database']],
  [
    'src/application',
    [
      'src/tasks',
      'src/repository',
      'src/lists',
      'src/authorization',
      'src/database',
      'src/http',
      'src/input',
      'src/pagination',
      'src/resource',
    ],
  ],
  [
    'src/manifest',
    [
      'src/application',
      'src/repository',
      'src/writes',
      'src/authorization',
      'src/database',
      'src/http',
      'src/resource',
    ],
  ],
  ['src', ['src']],
  ['testing', ['src']],
  ['migrations', []],
  ['bench', ['src', 'testing', 'test']],
  ['test', ['src', 'testing', 'bench']],
]

const { name, exports, dependencies, devDependencies } = JSON.parse(read('package.json')) as {
  name: string
  exports: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

const files = globSync('{src,testing,migrations,bench,test}/**/*.{js,ts}', { cwd: root })
const isTest = (file: string) => file.endsWith('.test.ts')

describe('imports of the framework', () => {
  it('are found', () => {
    expect(filesImportedBy('src/lists/list-source.ts')).toContain('src/database/rows.ts')
    expect(importsOf('src/lists/list-source.ts')).toContain('kysely')
    expect(importsOf('src/http/server-packages.ts')).toContain('express')
    expect(filesImportedBy('test/house/imports.ts')).toEqual([])
  })

  it('are existing files within the package', () => {
    const leaving = edgesOf(files).filter(({ target }) => !files.includes(target))
    expect(leaving).toEqual([])
  })

  it.each(FOLDERS)('of %s are only from the permitted folders', (folder) => {
    const [, mayImport = []] = FOLDERS.find(([one]) => one === folder) ?? []
    const allowed = [folder, ...mayImport]
    const own = files.filter((file) => !isTest(file) && folderOf(file) === folder)
    expect(own).not.toEqual([])
    expect(edgesOf(own).filter(({ target }) => !allowed.some((one) => isWithin(one, target)))).toEqual([])
  })

  it('use only packages that package.json lists', () => {
    const known = { ...dependencies, ...devDependencies }
    const unknown = packagesOf(files).filter((used) => !Object.hasOwn(known, used.package))
    expect(unknown).toEqual([])
    const shipped = files.filter((file) => /^(?:src|migrations)\//.test(file) && !isTest(file))
    const runtime = packagesOf(shipped, { types: false })
    expect(runtime.filter((used) => !Object.hasOwn(dependencies, used.package))).toEqual([])
  })

  it('use every dependency', () => {
    const used = new Set(packagesOf(files).map((one) => one.package))
    expect(Object.keys(dependencies).filter((one) => !used.has(one))).toEqual([])
  })

  it.each(Object.values(exports).filter((entry) => !entry.includes('testing')))(
    'of %s load no package that only a server needs',
    (entry) => {
      const reached = reachedFrom(entry.replace('./', ''))
      const loaded = new Set(packagesOf(reached, { types: false, lazy: false }).map((one) => one.package))
      expect([...loaded].toSorted()).toEqual(
        ['dataloader', 'kysely', 'pg', 'zod'].filter((one) => loaded.has(one)),
      )
    },
  )
})

const folderOf = (file: string) => FOLDERS.find(([folder]) => isWithin(folder, file))?.[0]

const isWithin = (folder: string, file: string) => file === folder || file.startsWith(`${folder}/`)

function edgesOf(from: readonly string[]): { file: string; target: string }[] {
  return from.flatMap((file) => filesImportedBy(file).map((target) => ({ file, target })))
}

/** Returns the files of the package that a file imports, as paths relative to the root. */
function filesImportedBy(file: string, options: ImportOptions = {}): string[] {
  return importsOf(file, options).flatMap((specifier) => {
    if (specifier.startsWith('.')) return [relative(root, join(root, dirname(file), specifier))]
    if (!isWithin(name, specifier)) return []
    return [exports[`.${specifier.slice(name.length)}`]?.replace('./', '') ?? specifier]
  })
}

function packagesOf(from: readonly string[], options: ImportOptions = {}) {
  return from.flatMap((file) =>
    importsOf(file, options)
      .filter((specifier) => !/^(?:\.|node:)/.test(specifier) && !isWithin(name, specifier))
      .map((specifier) => ({ file, package: /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier })),
  )
}

/** Returns the files that are loaded when a file is imported. */
function reachedFrom(entry: string): string[] {
  const reached = new Set<string>([entry])
  for (const file of reached)
    for (const target of filesImportedBy(file, { types: false, lazy: false })) reached.add(target)
  return [...reached]
}

const importsOf = (file: string, options?: ImportOptions): string[] => importsIn(read(file), options)

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
