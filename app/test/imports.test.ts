import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** The core of the application, which imports all folders. */
const CORE = ['app/app.ts', 'app/manifest.ts', 'app/pages.ts', 'app/resources.ts', 'app/server.ts']

/**
 * The folders of Pergola, and the others of them that each may import. Files of the same folder, packages and resources are
 * always allowed. Folders that are not listed are resources.
 */
const FOLDERS: readonly [folder: string, mayImport: readonly string[]][] = [
  ['app/db/migrations', []],
  ['app/db', ['app/config.ts', 'app/jobs/jobs.ts', 'app/resources.ts']],
  ['app/jobs', ['app']],
  ['app/mails', ['app']],
  [
    'app/users',
    [
      'app/sessions/user-sessions.ts',
      'app/account-tokens',
      'app/config-of.ts',
      'app/db/seeding.ts',
      'app/jobs',
      'app/mails',
    ],
  ],
  ['app/sessions', ['app/config.ts', 'app/config-of.ts']],
  ['app/account-tokens', ['app/config.ts', 'app/config-of.ts', 'app/own-hosts.ts']],
  [
    'app/account',
    [
      'app/users',
      'app/sessions',
      'app/account-tokens',
      'app/config.ts',
      'app/config-of.ts',
      'app/jobs',
      'app/mails',
    ],
  ],
  ['app/home', ['app']],
  ['app/tasks', ['app']],
  ['app/dev', ['app/config.ts', 'app/mails']],
]

const { dependencies, devDependencies, workspaces } = packageJson('.')
const framework = packageJson(workspaces?.[0] ?? '')
const files = globSync('{app,cli,e2e}/**/*.ts', {
  cwd: root,
  // The files of an add-on belong to the applications that have it, with its packages.
  exclude: (path) =>
    /^app\/framework$|(?:^|\/)node_modules$|^cli\/add-ons\/[^/]+\/files$/.test(path.replaceAll('\\', '/')),
})
const tests = /\.(?:test|matrix)\.ts$|\.factory\.ts$|^app\/test\/|^e2e\//
const edges = files.flatMap((file) => importsOf(file).map((target) => ({ file, target })))
const between = (from: string, to: string) =>
  edges.filter(({ file, target }) => isWithin(from, file) && isWithin(to, target))

describe('imports', () => {
  it('are found', () => {
    expect(importsOf('app/app.ts')).toContain('pergola/app')
    expect(importsOf('app/users/user.repository.ts')).toContain('app/users/user.policy.ts')
  })

  it('of the framework use its package exports', () => {
    const exported = Object.keys(framework.exports ?? {}).map((path) => framework.name + path.slice(1))
    const used = edges.filter(({ target }) => isWithin(framework.name, target))
    expect(used.filter(({ target }) => !exported.includes(target))).toEqual([])
    // Both parts of Pergola are measured by the same tool.
    const others = between('.', 'app/framework').filter(({ file }) => file !== 'cli/house.test.ts')
    expect(others).toEqual([])
  })

  it('of test helpers occur only in tests', () => {
    const helpers = new RegExp(String.raw`\.factory\.ts$|^app/test/|^${framework.name}/(?:lab|testing)$`)
    const shipped = edges.filter(({ file }) => isWithin('app', file) && !tests.test(file))
    expect(shipped.filter(({ target }) => helpers.test(target))).toEqual([])
  })

  it.each(FOLDERS)('of %s follow the list', (folder) => {
    const [, mayImport = []] = FOLDERS.find(([one]) => one === folder) ?? []
    const own = edges.filter(({ file, target }) => folderOf(file) === folder && isOurs(target))
    expect(
      own.filter(
        ({ file, target }) =>
          !tests.test(file) &&
          !isOfResource(target) &&
          ![folder, ...mayImport].some((allowed) => isWithin(allowed, target)),
      ),
    ).toEqual([])
  })

  // A migration does the same for ever, also after the code has changed.
  it('of migrations are not from the application', () => {
    const migrations = edges.filter(({ file }) => isWithin('app/db/migrations', file))
    expect(migrations.filter(({ target }) => isOurs(target))).toEqual([])
  })

  it('of a resource are not from the core of the application', () => {
    const resources = edges.filter(({ file }) => isOfResource(file) && !tests.test(file))
    expect(resources.filter(({ target }) => CORE.includes(target))).toEqual([])
  })

  it('of the command line occur only in the command line', () => {
    expect(edges.filter(({ file, target }) => isWithin('cli', target) && !isWithin('cli', file))).toEqual([])
  })

  it('of the browser tests are within e2e', () => {
    const leaving = edges.filter(({ file, target }) => isWithin('e2e', file) && isOurs(target))
    expect(leaving.filter(({ target }) => !isWithin('e2e', target))).toEqual([])
  })

  it('name only packages that package.json lists', () => {
    const packages = edges.filter(({ target }) => !isOurs(target) && !target.startsWith('node:'))
    const known = { ...dependencies, ...devDependencies, [framework.name]: '' }
    expect(packages.filter(({ target }) => !Object.hasOwn(known, packageOf(target)))).toEqual([])
    // Only the development profile runs the code in app/dev.
    const shipped = packages.filter(
      ({ file }) => isWithin('app', file) && !isWithin('app/dev', file) && !tests.test(file),
    )
    const runtime = { ...dependencies, [framework.name]: '' }
    const others = shipped.filter(({ target }) => !Object.hasOwn(runtime, packageOf(target)))
    expect(others.filter(({ file, target }) => !isFakerOfSeeds(file, target))).toEqual([])
  })

  it('load faker only when a seed runs', () => {
    const source = readFileSync(join(root, 'app/db/seeding.ts'), 'utf8')
    expect(source.match(/^.*@faker-js\/faker.*'\)?$/gm)).toEqual([
      expect.stringMatching(/^import type /),
      expect.stringMatching(/^ +const .* await import\(/),
    ])
  })
})

describe('package.json', () => {
  it('has the versions of the packages that the framework also uses', () => {
    const versionsOf = (json: PackageJson) => ({ ...json.dependencies, ...json.devDependencies })
    const own = versionsOf(packageJson('.'))
    const shared = Object.entries(versionsOf(framework)).filter(([name]) => Object.hasOwn(own, name))
    expect(shared.filter(([name, version]) => own[name] !== version)).toEqual([])
  })
})

const folderOf = (file: string) => FOLDERS.find(([folder]) => isWithin(folder, file))?.[0]

/** Returns whether a file belongs to the sample or a scaffolded resource: its folder has no rule above. */
const isOfResource = (file: string) =>
  /^app\/[^/]+\//.test(file) && folderOf(file) === undefined && !isWithin('app/test', file)

const isFakerOfSeeds = (file: string, target: string) =>
  file === 'app/db/seeding.ts' && packageOf(target) === '@faker-js/faker'

const isOurs = (target: string) => /^(?:app|cli|e2e)\//.test(target)

const isWithin = (folder: string, file: string) =>
  folder === '.' || file === folder || file.startsWith(`${folder}/`)

const packageOf = (specifier: string) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier

/** Returns the imports of a file: own files as paths from the root, packages by name. */
function importsOf(file: string): string[] {
  // Removes string literals, because those of the command line can contain code.
  const source = readFileSync(join(root, file), 'utf8').replaceAll(/`[^`]*`|"[^"\n]*"/g, '')
  const found = source.matchAll(
    /^(?:(?:import|export) [^'"`]*?from |import )'([^']+)'|\bimport\('([^']+)'\)/gms,
  )
  return [...found].map(([, declared, called]) => {
    const specifier = declared ?? called ?? ''
    if (specifier.startsWith('#')) return specifier.slice(1)
    return specifier.startsWith('.') ? relative(root, join(root, dirname(file), specifier)) : specifier
  })
}

interface PackageJson {
  name: string
  workspaces?: string[]
  exports?: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

function packageJson(folder: string): PackageJson {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as PackageJson
}
