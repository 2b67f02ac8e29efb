import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** What the application knows of the framework. */
const PRELUDE = 'app/framework/index.ts'

/** What each room may import besides itself and npm; the first that fits a file is its room. */
const ROOMS: readonly [room: string, mayImport: readonly string[]][] = [
  ['app/framework/resource', []],
  ['app/framework/pagination', ['app/framework/http/html.ts']],
  ['app/framework/http', ['app/framework/pagination', 'app/framework/resource']],
  ['app/framework/database', ['app/framework/resource', 'app/framework/http/errors.ts']],
  ['app/framework/authorization', ['app/framework/resource', 'app/framework/http', 'app/framework/database']],
  [
    'app/framework/manifest',
    [
      'app/framework/authorization',
      'app/framework/repository',
      'app/framework/http',
      'app/framework/resource',
      'app/framework/database/executor.ts',
    ],
  ],
  ['app/framework', ['app/framework']],
  ['app/db/migrations', []],
  ['app/posts', [PRELUDE, 'app/users', 'app/db/seeding.ts']],
  ['app/users', [PRELUDE, 'app/sessions/user-sessions.ts']],
  ['app/sessions', [PRELUDE, 'app/users', 'app/config.ts']],
  ['app/feed', [PRELUDE, 'app/posts', 'app/users']],
  ['app/dev', ['app/framework']],
  ['app/tasks', [PRELUDE, 'app/framework/tasks/index.ts', 'app/posts', 'app/users', 'app/sessions']],
  ['app/account', [PRELUDE, 'app/users', 'app/sessions', 'app/config.ts']],
  ['app', ['app']],
  ['cli', ['app', 'cli']],
  ['e2e', []],
]

const files = globSync('{app,cli,e2e}/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))

describe('imports', () => {
  it('are found', () => {
    expect(files).toContain('app/framework/index.ts')
    expect(importsOf('app/posts/post.controller.ts')).toContain('app/framework/index.ts')
    expect(importsOf('app/framework/repository/list-source.ts')).toContain('app/framework/database/rows.ts')
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
  const specifiers = [...source.matchAll(/(?:from|import\(|import) ?'([#.][^']+)'/g)].map(
    ([, specifier = '']) => specifier,
  )
  return specifiers.map((specifier) => {
    if (specifier === '#framework') return 'app/framework/index.ts'
    if (specifier === '#framework/manifest') return 'app/framework/manifest/index.ts'
    if (specifier === '#framework/tasks') return 'app/framework/tasks/index.ts'
    if (specifier.startsWith('#app/')) return specifier.slice(1)
    return relative(root, join(root, dirname(file), specifier))
  })
}
