import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptOf } from '../test/tools.ts'

/** The text of declaration files, by their path in the package without its extension: `src/http/routes`. */
export type Declarations = ReadonlyMap<string, string>

/**
 * Returns the declaration files of a package, which contain the signatures as the compiler infers them, with their
 * docstrings. The compiler writes them, because the API of TypeScript 7 is unstable.
 */
export function declarationsOf(folder: string, files: readonly string[]): Declarations {
  const output = mkdtempSync(join(tmpdir(), 'pergola-docs-'))
  try {
    const project = join(output, 'tsconfig.json')
    writeFileSync(project, JSON.stringify(configuration(folder, files)))
    // With errors of types, which `npm run types` reports, the compiler writes the declarations too.
    const { stdout } = spawnSync(process.execPath, [scriptOf('tsc'), '-p', project], { encoding: 'utf8' })
    const written = globSync('**/*.d.ts', { cwd: output }).map((path) => path.replaceAll('\\', '/'))
    if (written.length === 0) throw new Error(`The compiler wrote no declarations.\n${stdout}`)
    return new Map(
      written.map((path) => [path.replace(/\.d\.ts$/, ''), readFileSync(join(output, path), 'utf8')]),
    )
  } finally {
    rmSync(output, { recursive: true })
  }
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

interface Part {
  readonly name: string
  readonly comment: string
  readonly code: string
}

const START =
  /^(?<comment>\/\*\*(?:(?!\*\/).)*\*\/\n)?(?:export )?(?:declare )?(?:abstract )?(?:class|const|function|interface|type) (?<name>[\w$]+)/gms

/** Splits a declaration file, in which the compiler begins each declaration at the start of a line. */
export function partsOf(text: string): Part[] {
  const starts = [...text.matchAll(START)]
  return starts.map(({ index, groups = {} }, position) => {
    const { name = '', comment = '' } = groups
    const code = text.slice(index + comment.length, starts[position + 1]?.index)
    return { name, comment, code: readable(code) }
  })
}

/** Returns the file from which a declaration file imports a name, or null. */
export function importOf(name: string, text: string): string | null {
  const imports = text.matchAll(/^import (?:type )?\{(?<names>[^}]*)\} from ['"](?<file>\.[^'"]+)['"]/gm)
  const found = [...imports].find(({ groups }) =>
    new RegExp(String.raw`\b${name}\b`).test(groups?.['names'] ?? ''),
  )
  return found?.groups?.['file'] ?? null
}

/** Removes the parts of a declaration that only the compiler needs. */
const readable = (code: string): string =>
  code
    .replaceAll(/^export \{[^}]*\};?$/gm, '')
    .replace(/^export /, '')
    .replaceAll(/import\("[^"]+"\)\./g, '')
    .replaceAll(/^ *#private;\n/gm, '')
    .trim()

/** Returns the text of a docstring, without line breaks in its paragraphs. */
export function proseOf(comment: string): string {
  const text = comment
    .replace(/^\/\*\*/, '')
    .replace(/\*\/\s*$/, '')
    .replaceAll(/^ *\* ?/gm, '')
    // Types of JavaScript, which the declaration has too.
    .replaceAll(/^@param \{.*$/gm, '')
    .trim()
  return text
    .split(/(^```.*?^```$)/ms)
    .map((part) => (part.startsWith('```') ? part : part.replaceAll(/(?<=\S)\n(?=\w|`(?!``)|[(“])/g, ' ')))
    .join('')
}
