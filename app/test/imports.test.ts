import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** What the application knows of the framework. */
const PRELUDE = 'app/framework/src/index.ts'
const TASKS = 'app/framework/src/tasks/index.ts'

/** What each room may import besides itself and npm; the first that fits a file is its room. */
type Room = readonly [room: string, mayImport: readonly string[]]

const ROOMS: readonly Room[] = [
  ['app/framework/src/resource', []],
  ['app/framework/src/pagination', ['app/framework/src/http/html.ts']],
  ['app/framework/src/http', ['app/framework/src/pagination', 'app/framework/src/resource']],
  ['app/framework/src/database', ['app/framework/src/resource', 'app/framework/src/http/errors.ts']],
  [
    'app/framework/src/authorization',
    ['app/framework/src/resource', 'app/framework/src/http', 'app/framework/src/database'],
  ],
  [
    'app/framework/src/manifest',
    [
      'app/framework/src/authorization',
      'app/framework/src/repository',
      'app/framework/src/http',
      'app/framework/src/resource',
      'app/framework/src/database/executor.ts',
      'app/framework/src/application',
    ],
  ],
  ['app/framework', ['app/framework']],
  ['app/db/migrations', []],
  ...scaffolded().map((room): Room => [
    room,
    [PRELUDE, TASKS, 'app/users', 'app/db/seeding.ts', ...parents()],
  ]),
  ['app/users', [PRELUDE, 'app/sessions/user-sessions.ts']],
  ['app/sessions', [PRELUDE, 'app/users', 'app/config.ts']],
  ['app/dev', ['app/framework']],
  ['app/tasks', [PRELUDE, TASKS, 'app/users', 'app/sessions', 'app/resources.ts']],
  ['app/account', [PRELUDE, 'app/users', 'app/sessions', 'app/config.ts']],
  ['app', ['app']],
  ['cli', ['app', 'cli']],
  ['e2e', []],
]

/** The folders of the scaffolded resources. */
function scaffolded(): string[] {
  return globSync('app/*/scaffold.json', { cwd: root }).map((file) => dirname(file))
}

/** What resources that refer to one may import of it: `x.ts`, `x.repository.ts`, and for tests `x.factory.ts`. */
function parents(): string[] {
  return scaffolded().flatMap((folder) =>
    globSync('*.ts', { cwd: join(root, folder) })
      .filter((file) => /^[^.]+(?:\.repository|\.factory)?\.ts$/.test(file))
      .map((file) => `${folder}/${file}`),
  )
}

const files = globSync('{app,cli,e2e}/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))

describe('imports', () => {
  it('are found', () => {
    expect(files).toContain('app/framework/src/index.ts')
    expect(importsOf('app/users/user.controller.ts')).toContain('app/framework/src/index.ts')
    expect(importsOf('app/framework/src/repository/list-source.ts')).toContain(
      'app/framework/src/database/rows.ts',
    )
  })

  it('of the framework lead to the framework, node and npm only', () => {
    const leaving = files
      .filter((file) => file.startsWith('app/framework/'))
      .flatMap((file) => importsOf(file).map((target) => `${file} → ${target}`))
      .filter((line) => !line.includes('→ app/framework/'))
    expect(leaving).toEqual([])
  })

  it('of factories are for tests', () => {
    const factory = /\.factory\.ts$/
    const tests = /\.bench\.ts$|^app\/test\//
    const using = files
      .filter((file) => !factory.test(file) && !tests.test(file))
      .flatMap((file) => importsOf(file).map((target) => `${file} → ${target}`))
    expect(using.filter((line) => factory.test(line))).toEqual([])
  })

  it.each(ROOMS)('of %s go one way', (room) => {
    const [, mayImport = []] = ROOMS.find(([name]) => name === room) ?? []
    const wrong = files
      .filter((file) => roomOf(file) === room)
      .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
      .filter(
        ({ target }) =>
          ![room, ...mayImport].some((allowed) => target === allowed || target.startsWith(`${allowed}/`)),
      )
    expect(wrong).toEqual([])
  })
})

const roomOf = (file: string) => ROOMS.find(([room]) => file.startsWith(`${room}/`))?.[0]

/** The files of this project that a file imports, as paths from the root. */
function importsOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const specifiers = [
    ...source.matchAll(/(?:from|import\(|import) ?'([#.][^']+|pergola(?:\/[a-z]+)?)'/g),
  ].map(([, specifier = '']) => specifier)
  return specifiers.map((specifier) => {
    if (specifier === 'pergola') return PRELUDE
    if (specifier === 'pergola/manifest') return 'app/framework/src/manifest/index.ts'
    if (specifier === 'pergola/tasks') return TASKS
    if (specifier === 'pergola/testing') return 'app/framework/testing/index.ts'
    if (specifier.startsWith('#app/')) return specifier.slice(1)
    return relative(root, join(root, dirname(file), specifier))
  })
}
