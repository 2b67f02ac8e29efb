import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from './test-support/run-cli.ts'
import { testDatabase } from 'pergola/testing'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** What a development command alone does; in there is text, too, that reads like imports. */
const DEVELOPMENT = [
  'cli/scaffold/',
  'cli/generate/',
  'cli/db/types/',
  'cli/upgrade/',
  'app/db/embedded',
  'app/dev/',
]

const ROOT = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
const FRAMEWORK = {
  folder: 'app/framework',
  ...(JSON.parse(read('app/framework/package.json')) as {
    name: string
    exports: Record<string, string>
    dependencies: Record<string, string>
  }),
}

const leftOut = read('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && line !== '*' && !line.startsWith('!'))
const isLeftOut = (file: string) =>
  leftOut.some((pattern) => matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`))

describe('the image of production', () => {
  const reached = reachedFrom(['app/server.ts', 'cli/main.ts'])

  it('has every file that the server and the command line can reach', () => {
    expect(reached.size).toBeGreaterThan(200)
    expect([...reached.keys()].filter((file) => isLeftOut(file) || !existsSync(join(root, file)))).toEqual([])
  })

  it('has every package that they import', () => {
    const used = [...reached].flatMap(([file, imports]) =>
      imports
        .filter((name) => !/^(?:[#.]|node:)/.test(name) && packageOf(name) !== FRAMEWORK.name)
        .map((name) => ({ file, name })),
    )
    expect(used.length).toBeGreaterThan(50)
    const declared = (file: string) =>
      file.startsWith(`${FRAMEWORK.folder}/`) ? FRAMEWORK.dependencies : ROOT.dependencies
    expect(used.filter(({ file, name }) => !Object.hasOwn(declared(file), packageOf(name)))).toEqual([])
  })

  it('has the manifest that the audit and the doctor compare with', () => {
    expect(read('.dockerignore').split('\n')).toContain('!security.manifest.json')
  })
})

describe('cli with the packages of production', { timeout: 60_000 }, async () => {
  const { url } = await testDatabase()
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: url,
    BASE_URL: 'https://example.org',
    SESSION__SECRET: 'a secret of more than thirty-two characters',
    PORT: '0',
  }
  const cli = (line: string) =>
    runCli(line.split(' '), { env, node: ['--import', './cli/test-support/production-packages.ts'] })

  it.each(['db migrate', 'task prune-sessions', 'routes audit --check', 'doctor'])(
    'does %s',
    async (line) => {
      expect(await cli(line)).toMatchObject({ code: 0 })
    },
  )

  it.each(['scaffold thing', 'generate task x', 'db types --check', 'upgrade'])(
    'says that %s is for development',
    async (line) => {
      const { code, stdout, stderr } = await cli(line)
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        expect.stringMatching(/^This is for development, where \S+ is installed: npm ci --include=dev\n$/),
      ])
    },
  )
})

/** The files that these lead to, with what each of them imports. */
function reachedFrom(entries: readonly string[]): Map<string, string[]> {
  const reached = new Map<string, string[]>()
  const waiting = [...entries]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue
    const imports = existsSync(join(root, file)) ? importsOf(read(file)) : []
    reached.set(file, imports)
    const files = imports.flatMap((name) => fileOf(file, name) ?? [])
    waiting.push(...files.filter((one) => !DEVELOPMENT.some((start) => one.startsWith(start))))
  }
  return reached
}

/** Types are gone before anything is looked for. */
const importsOf = (source: string) =>
  [
    ...source
      .replaceAll(/^(?:import|export) type .*? from '[^']+'$/gms, '')
      .matchAll(/(?:^|[\s;}])(?:from|import\(|import) ?'([^'\s]+)'/g),
  ].map(([, name = '']) => name)

function fileOf(from: string, name: string): string | null {
  if (name.startsWith('.')) return join(dirname(from), name)
  if (name.startsWith('#app/')) return name.slice(1)
  if (packageOf(name) !== FRAMEWORK.name) return null
  const target = FRAMEWORK.exports[name.replace(FRAMEWORK.name, '.')]
  return target === undefined ? null : join(FRAMEWORK.folder, target)
}

const packageOf = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
