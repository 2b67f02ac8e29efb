import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import { greetingMailServer } from './test-support/greeting-mail-server.ts'
import { runCli } from './test-support/run-cli.ts'
import { testDatabase } from 'pergola/testing'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** Code that only development commands use. Some of it contains text that looks like imports. */
const DEVELOPMENT = [
  'cli/scaffold/',
  'cli/commands/generate/',
  'cli/commands/views/',
  'cli/commands/db/types/',
  'cli/upgrade/',
  'app/db/embedded',
  'app/dev/',
]

/** Seeds import faker when they run. If it is missing, they print the command that installs it. */
const FAKER = { file: 'app/db/seeding.ts', name: '@faker-js/faker/locale/en' }

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

describe('the production image', () => {
  const reached = reachedFrom(['app/start.js', 'app/server.ts', 'cli/bin.js'])

  it('contains every file that the server and the command line import', () => {
    expect(reached.size).toBeGreaterThan(200)
    expect([...reached.keys()].filter((file) => isLeftOut(file) || !existsSync(join(root, file)))).toEqual([])
  })

  it('contains every package that they import', () => {
    const used = [...reached].flatMap(([file, imports]) =>
      imports
        .filter((name) => !/^(?:[#.]|node:)/.test(name) && packageOf(name) !== FRAMEWORK.name)
        .map((name) => ({ file, name }))
        .filter((one) => one.file !== FAKER.file || one.name !== FAKER.name),
    )
    expect(used.length).toBeGreaterThan(50)
    const declared = (file: string) =>
      file.startsWith(`${FRAMEWORK.folder}/`) ? FRAMEWORK.dependencies : ROOT.dependencies
    expect(used.filter(({ file, name }) => !Object.hasOwn(declared(file), packageOf(name)))).toEqual([])
  })

  it('contains the manifest for the audit and the doctor', () => {
    expect(read('.dockerignore').split('\n')).toContain('!security.manifest.json')
  })
})

describe('cli with production packages only', async () => {
  const { url } = await testDatabase()
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: url,
    BASE_URL: 'https://example.org',
    SESSION__SECRET: 'a secret of more than thirty-two characters',
    MAIL__URL: await greetingMailServer(),
    MAIL__FROM: 'no-reply@example.org',
    PORT: '0',
  }
  const cli = (line: string) =>
    runCli(line.split(' '), { env, node: ['--import', './cli/test-support/production-packages.ts'] })

  it.each(['db migrate', 'task prune-sessions', 'routes audit --check', 'doctor'])(
    'runs %s',
    async (line) => {
      expect(await cli(line)).toMatchObject({ code: 0 })
    },
  )

  it.each(['scaffold thing', 'generate task x', 'db types --check', 'upgrade', 'views check'])(
    'reports that %s needs a development dependency',
    async (line) => {
      const { code, stdout, stderr } = await cli(line)
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        expect.stringMatching(
          /^This command needs the development dependency \S+\. Install it: npm ci --include=dev\n$/,
        ),
      ])
    },
  )
})

/** Returns the files that the entries import directly or indirectly, each with its imports. */
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

/** Returns the imports of a file without type imports. */
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
