import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptOf } from '../../../test/tools.ts'

/** A type expression that must be `true`, or a union of strings that must be `never`. */
export interface Assertion {
  readonly isTrue?: string
  readonly isNever?: string
}

/** A failed assertion, with the string literals in the compiler's message. */
interface Failed<A extends Assertion> {
  readonly assertion: A
  readonly names: string[]
}

/**
 * Compiles a file of these assertions within the project in `root`, without its tests, and returns those that fail.
 * `helpers` are the declarations that they use. Throws if the file has other errors, and if TypeScript is not installed.
 */
export function failedAssertions<A extends Assertion>(
  root: string,
  assertions: readonly A[],
  helpers: string,
): Failed<A>[] {
  const lines = assertions.map(({ isTrue, isNever }, index) =>
    isTrue === undefined
      ? `type _${index} = IsNever<\`:\${${isNever}}\`>`
      : `type _${index} = IsTrue<${isTrue}>`,
  )
  const head = `${helpers}type IsTrue<T extends true> = T\ntype IsNever<T extends never> = T\n`
  const first = head.split('\n').length
  return compile(root, `${head}${lines.join('\n')}\n`).map(({ line, code, message }) => {
    const assertion = assertions[line - first]
    if (assertion === undefined || code !== DOES_NOT_SATISFY)
      throw new Error(`The types could not be compared. TypeScript reported in line ${line}: ${message}`)
    return { assertion, names: literalsIn(message) }
  })
}

const DOES_NOT_SATISFY = 'TS2344'

/**
 * Returns `body` and `title` for `Type '":body" | ":title"' does not satisfy …`. The colon prevents that TypeScript prints
 * `keyof Tables` instead.
 */
const literalsIn = (message: string): string[] =>
  [...message.matchAll(/":((?:[^"\\]|\\.)*)"/g)].map(([, literal]) => JSON.parse(`"${literal}"`) as string)

interface Diagnostic {
  readonly line: number
  readonly code: string
  readonly message: string
}

/** Returns the compiler's errors in a file with this text. Ignores errors in other files. */
function compile(root: string, text: string): Diagnostic[] {
  const parent = join(root, '.data')
  mkdirSync(parent, { recursive: true })
  using folder = mkdtempDisposableSync(join(parent, 'types-'))
  const file = join(folder.path, 'assertions.ts')
  writeFileSync(file, text)
  writeFileSync(join(folder.path, 'tsconfig.json'), JSON.stringify(settings(root, file)))
  const flags = ['--project', folder.path, '--pretty', 'false', '--noErrorTruncation']
  const { stdout, error } = spawnSync(process.execPath, [scriptOf('tsc'), ...flags], {
    cwd: folder.path,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (error) throw error
  const matches = stdout.matchAll(/^assertions\.ts\((\d+),\d+\): error (TS\d+): (.*)$/gm)
  return [...matches].map(([, line, code = '', message = '']) => ({ line: Number(line), code, message }))
}

const settings = (root: string, file: string) => ({
  extends: join(root, 'tsconfig.json'),
  compilerOptions: { noUnusedLocals: false },
  files: [file],
  include: [join(root, 'app')],
  exclude: ['app/framework', 'app/**/*.test.ts', 'app/test'].map((path) => join(root, path)),
})
