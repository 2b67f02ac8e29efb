import { spawnSync } from 'node:child_process'
import { globSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptOf } from '../test/tools.ts'

export interface Declaration {
  /** The path of its file in the package, without its extension: `src/http/routes`. */
  readonly file: string
  readonly name: string
  /** The declaration with its docstring. */
  readonly code: string
}

/**
 * Returns the declarations of a package, with the signatures as the compiler infers them. The compiler writes them,
 * because the API of TypeScript 7 is unstable.
 */
export function declarationsOf(folder: string, files: readonly string[]): Declaration[] {
  using output = mkdtempDisposableSync(join(tmpdir(), 'pergola-docs-'))
  const project = join(output.path, 'tsconfig.json')
  writeFileSync(project, JSON.stringify(configuration(folder, files)))
  // With errors of types, which `npm run types` reports, the compiler writes the declarations too.
  const { stdout } = spawnSync(process.execPath, [scriptOf('tsc'), '-p', project], { encoding: 'utf8' })
  const written = globSync('**/*.d.ts', { cwd: output.path })
  if (written.length === 0) throw new Error(`The compiler wrote no declarations.\n${stdout}`)
  return written.flatMap((path) => {
    const file = path.replaceAll('\\', '/').replace(/\.d\.ts$/, '')
    return declarationsIn(readFileSync(join(output.path, path), 'utf8')).map((one) => ({ file, ...one }))
  })
}

const configuration = (folder: string, files: readonly string[]) => ({
  extends: join(folder, 'tsconfig.json'),
  compilerOptions: {
    noEmit: false,
    allowJs: true,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: folder,
    outDir: '.',
    typeRoots: [join(import.meta.dirname, '../../node_modules/@types')],
  },
  files: files.map((file) => join(folder, file)),
  include: [],
})

const START =
  /^(?:\/\*\*(?:(?!\*\/).)*\*\/\n)?(?:export )?(?:declare )?(?:abstract )?(?:class|const|function|interface|type) (?<name>[\w$]+)/gms

/** Splits a declaration file, in which the compiler begins each declaration at the start of a line. */
function declarationsIn(text: string): Omit<Declaration, 'file'>[] {
  const starts = [...text.matchAll(START)]
  return starts.map(({ index, groups = {} }, position) => ({
    name: groups['name'] ?? '',
    code: readable(text.slice(index, starts[position + 1]?.index)),
  }))
}

/** Removes the parts of a declaration that only the compiler needs. */
const readable = (code: string): string =>
  code
    .replaceAll(/^export \{[^}]*\};?$/gm, '')
    .replace(/^export /m, '')
    .replaceAll(/import\("[^"]+"\)\./g, '')
    .replaceAll(/^ *#private;\n/gm, '')
    .trim()
