import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ImportOptions, importsOf as importsIn } from './house/imports.ts'

const root = join(import.meta.dirname, '..')

/** The rooms of `src`. Each one may import those before it, and itself. */
const CORE = 'resource pagination http database rows policy lists writes input repository'.split(' ')
const AROUND =
  'features speed scale migrations embedded leases tasks jobs mail application views manifest dev entries'.split(
    ' ',
  )
const ROOMS = [...CORE, ...AROUND]

/** The folders that the other folders may import besides themselves. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  testing: ['src'],
  migrations: [],
  lab: ['src', 'testing'],
  bench: ['src', 'testing', 'lab', 'test'],
  test: ['src', 'testing', 'lab', 'bench'],
}

/** The imports of a later room that are left. This list may only become shorter. */
const upward = JSON.parse(read('test/house/upward-imports.json')) as string[]

const { name, exports, dependencies, devDependencies } = JSON.parse(read('package.json')) as {
  name: string
  exports: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

const files = globSync('{src,testing,migrations,lab,bench,test}/**/*.{js,ts}', {
  cwd: root,
  // They start the application, and have a program of their own.
  exclude: (path) => path === 'lab/suites',
})
const isTest = (file: string) => file.endsWith('.test.ts')

describe('imports of the framework', () => {
  it('are found', () => {
    expect(filesImportedBy('src/lists/list-source.ts')).toContain('src/rows/rows.ts')
    expect(importsOf('src/lists/list-source.ts')).toContain('kysely')
    expect(importsOf('src/http/server-packages.ts')).toContain('express')
    expect(filesImportedBy('test/house/imports.ts')).toEqual([])
  })

  it('are existing files within the package', () => {
    const leaving = edgesOf(files).filter(({ target }) => !files.includes(target))
    expect(leaving).toEqual([])
  })

  it('are only from earlier rooms, except for the listed ones', () => {
    const own = edgesOf(files.filter((file) => !isTest(file) && isWithin('src', file)))
    const isUpward = ({ file, target }: { file: string; target: string }) => roomOf(target) > roomOf(file)
    expect(own.filter(isUpward).map(({ file, target }) => `${file} > ${target}`)).toEqual(upward)
  })

  it('are in rooms that the order contains', () => {
    const rooms = globSync('src/*/', { cwd: root }).map((room) => basename(room))
    expect(rooms.toSorted()).toEqual(ROOMS.toSorted())
  })

  it.each(Object.entries(FOLDERS))('of %s are only from the permitted folders', (folder, mayImport) => {
    const own = files.filter((file) => !isTest(file) && isWithin(folder, file))
    expect(own).not.toEqual([])
    const allowed = [folder, ...mayImport]
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

  it.each(Object.values(exports).filter((entry) => !/testing|lab/.test(entry)))(
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

/** The files of `src` itself, such as its index, are above all rooms. */
function roomOf(file: string): number {
  const at = ROOMS.indexOf(file.split('/')[1] ?? '')
  return at === -1 ? ROOMS.length : at
}

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
