import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root, scriptOf } from '../test/tools.ts'
import { exportedNames, frameworkEntries } from '../docs/exports-page.ts'
import { fencesOf } from '../docs/markdown.ts'

/** A block of code in a page. */
export interface CodeBlock {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly code: string
}

/**
 * Returns the blocks of code in a page. The first line of a block that is a part of an expression contains the rest:
 * ```` ```ts policy(Post, { … }) ````.
 */
export const codeBlocksOf = (page: string, markdown: string): CodeBlock[] =>
  fencesOf(markdown).map(({ index, language, info, text }) => ({
    page,
    line: markdown.slice(0, index).split('\n').length + 1,
    language,
    code: info.includes('…') ? info.replace('…', () => text) : text,
  }))

/**
 * Returns the errors of the compiler in blocks of TypeScript, each with its page and line. A name that a block does not
 * declare is imported: from an earlier block of its page, the files in `examples`, the packages, the application or
 * another page.
 */
export function typeErrorsOf(blocks: readonly CodeBlock[]): string[] {
  using folder = mkdtempDisposableSync(join(root, 'node_modules/.code-blocks-'))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true })
    writeFileSync(join(folder.path, path), text)
  }
  const files = filesOf(blocks)
  for (const { path, text } of files) write(path, text)
  write('tsconfig.json', JSON.stringify(configuration(files.map(({ path }) => path))))
  const options = { encoding: 'utf8', cwd: folder.path } as const
  const { stdout } = spawnSync(process.execPath, [scriptOf('tsc'), '--pretty', 'false'], options)
  return stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => inPage(line, files))
}

const configuration = (files: readonly string[]) => ({
  extends: '../../tsconfig.json',
  compilerOptions: {
    lib: ['esnext', 'dom'],
    noUnusedLocals: false,
    noUnusedParameters: false,
    verbatimModuleSyntax: false,
    typeRoots: ['../@types'],
    paths: {
      '#block/*': ['./*'],
      '#names/*': ['../../*'],
      '#app/*': ['./app/*', '../../cli/test-support/examples/app/*', '../../app/*'],
    },
    rootDirs: [
      '.',
      './app/jobs',
      '../../cli/test-support/examples/app/tickets',
      '../../cli/scaffold/field-types',
      '../../app/posts',
      '../../e2e',
    ],
  },
  files,
  include: [],
})

interface BlockFile {
  readonly block: CodeBlock
  /** The path that the first line of the block names, or one of its own. */
  readonly path: string
  readonly imports: readonly string[]
  readonly text: string
}

/** Where names come from: a name and the module that exports it. */
type Names = [name: string, module: string][]

function filesOf(blocks: readonly CodeBlock[]): BlockFile[] {
  const pathOf = ({ code }: CodeBlock, index: number) =>
    /^\/\/ (app\/\S+\.ts)\n/.exec(code)?.[1] ?? `block-${index}.ts`
  const declared = blocks.map((block, index): Names =>
    namesDeclaredIn(block.code).map((name) => [name, `#block/${pathOf(block, index)}`]),
  )
  const known = [...declared.flat(), ...knownNames()]
  return blocks.map((block, index) => {
    const before = declared.filter((_names, other) => other < index && blocks[other]?.page === block.page)
    const imports = importsFor(block.code, new Map([...known, ...before.flat()]))
    const code = block.code.replaceAll(/^(?=(?:const|async function|function|interface) )/gm, 'export ')
    return { block, path: pathOf(block, index), imports, text: [...imports, code].join('\n') }
  })
}

const DECLARATION =
  /^(?:export )?(?:declare )?(?:async )?(?:const|function|class|type|interface) (?:(\w+)|[[{](.*?)[\]}] =)/gm

const namesDeclaredIn = (code: string): string[] =>
  [...code.matchAll(DECLARATION)].flatMap(([, name, pattern = '']) => name ?? pattern.match(/\w+/g) ?? [])

/** Returns an import of each known name that the code uses, and neither declares nor imports. */
function importsFor(code: string, known: ReadonlyMap<string, string>): string[] {
  const used = new Set(code.replaceAll(/\/\/.*$|'[^'\n]*'/gm, '').match(/[A-Za-z]\w*/g))
  const imported = [...code.matchAll(/^import ([^']*) from/gm)].flatMap(
    ([, list = '']) => list.match(/\w+/g) ?? [],
  )
  const own = new Set([...namesDeclaredIn(code), ...imported])
  return [...known]
    .filter(([name]) => used.has(name) && !own.has(name))
    .map(([name, module]) => `import { ${name} } from ${JSON.stringify(module)}`)
}

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const filesIn = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: ['app/framework/**'] }).map((path) => path.replaceAll('\\', '/'))

/** Later names win: those of the examples. */
function knownNames(): Names {
  return [
    ...filesIn('app/**/*.ts').flatMap((path): Names =>
      exportsOf(read(path)).map((name) => [name, `#${path}`]),
    ),
    ['z', 'zod'],
    ['Kysely', 'kysely'],
    ['sql', 'kysely'],
    ...['describe', 'expect', 'it'].map((name): Names[number] => [name, 'vitest']),
    ...frameworkEntries().flatMap((entry): Names =>
      exportedNames(entry).map((name) => [name, entry.specifier]),
    ),
    ...filesIn('cli/test-support/examples/**/*.ts').flatMap((path): Names =>
      exportsOf(read(path)).map((name) => [name, `#names/${path}`]),
    ),
  ]
}

const exportsOf = (code: string): string[] => namesDeclaredIn(code.replaceAll(/^(?!export ).*$/gm, ''))

/** Returns an error of the compiler with the page and the line instead of the file. */
function inPage(error: string, files: readonly BlockFile[]): string {
  const { path, line, message } =
    /^(?<path>[^(]+)\((?<line>\d+),\d+\)(?<message>.*)$/.exec(error)?.groups ?? {}
  const file = files.find((one) => one.path === path)
  if (file === undefined) return error
  return `${file.block.page}:${file.block.line + Number(line) - file.imports.length - 1}${message}`
}
