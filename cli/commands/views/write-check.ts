import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ApplicationCode, codeIn } from './application-code.ts'
import { type CheckedCode, codeOf, dataName, dataOf, viewTypes } from './checked-code.ts'
import { type DeclaredMail, mailOf, mailsIn } from './mails.ts'
import { readView, type ViewSource } from './view-source.ts'

/** The folder of the checked code, below the application's. The code is removed with `.data`, and written by each check. */
export const CHECKED = '.data/views'

const EXTENDED = {
  extends: '../../tsconfig.json',
  // A check reads only the files that changed since the last check.
  compilerOptions: {
    allowJs: true,
    checkJs: true,
    incremental: true,
    tsBuildInfoFile: './checked.tsbuildinfo',
  },
  include: ['../../app', '../../vitest.config.ts', '.'],
  exclude: ['../../app/framework'],
}

/** A view that can be checked, and the files that its errors are found in. */
export interface CheckedView {
  /** The path below `views`, without its ending: `posts/index`. */
  readonly name: string
  /** The path from the root: `views/posts/index.eta`. */
  readonly file: string
  readonly hasDeclaration: boolean
  readonly source: ViewSource
  /** By their paths below `CHECKED`. */
  readonly code: ReadonlyMap<string, CheckedCode>
}

export interface Check {
  readonly application: ApplicationCode
  readonly mails: readonly DeclaredMail[]
  /** The names of the files in `public`. */
  readonly assets: readonly string[]
  /** The names of those in `public/root`. */
  readonly rootFiles: readonly string[]
  readonly views: readonly CheckedView[]
  /** The views that Eta can't parse, with its message. */
  readonly broken: readonly { readonly file: string; readonly message: string }[]
}

/** Writes the checked code of every view, and removes that of views which no longer exist. */
export function writeCheck(root: string): Check {
  const types = viewTypes(typesOfViews())
  const application = codeIn(root)
  const mails = mailsIn(application)
  const found = filesIn(root).map(({ name, file }) => ({ name, file, ...parsed(join(root, file)) }))
  const views = found.flatMap(({ name, file, view }) =>
    view === null
      ? []
      : {
          name,
          file,
          hasDeclaration: view.declaration.type !== null,
          source: view,
          code: new Map([
            [`${name}.js`, codeOf(name, view, types)],
            [`${name}.data.ts`, dataOf(name, view, { types, mail: mailOf(name, mails) })],
          ]),
        },
  )
  const texts = new Map(
    views.flatMap(({ code }) => [...code].map(([path, { text }]) => [path, text] as const)),
  )
  // Only a broken view itself has an error.
  for (const { name, view } of found)
    if (view === null) texts.set(`${name}.data.ts`, `export type ${dataName(name)} = object\n`)
  const assets = filesOf(join(root, 'public'))
  const rootFiles = filesOf(join(root, 'public/root'))
  const names = found.map(({ name }) => name)
  texts.set('views.d.ts', declarationOf(names, assets))
  texts.set('tsconfig.json', JSON.stringify(EXTENDED))
  write(join(root, CHECKED), texts)
  const broken = found.flatMap(({ file, message }) => (message === null ? [] : { file, message }))
  return { application, assets, rootFiles, mails, views, broken }
}

function parsed(file: string): { view: ViewSource | null; message: string | null } {
  try {
    return { view: readView(file), message: null }
  } catch (error) {
    return { view: null, message: (error as Error).message }
  }
}

/** Returns the views of the application, and those of the framework that it doesn't override. */
function filesIn(root: string): { name: string; file: string }[] {
  const byName = new Map<string, string>()
  for (const folder of ['app/framework/views', 'views']) {
    for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).toSorted()) {
      const name = path.replaceAll('\\', '/')
      if (name.endsWith('.eta')) byName.set(name.slice(0, -'.eta'.length), `${folder}/${name}`)
    }
  }
  return [...byName].map(([name, file]) => ({ name, file }))
}

/** The entries whose types views use without an import. */
const ENTRIES = ['pergola', 'pergola/views']

/** Returns the types of these entries, each with its entry. */
function typesOfViews(): ReadonlyMap<string, string> {
  const types = ENTRIES.flatMap((entry) => {
    const code = readFileSync(fileURLToPath(import.meta.resolve(entry)), 'utf8')
    const groups = [...code.matchAll(/export type \{([^}]+)\}/g)].flatMap(
      ([, names = '']) => names.match(/\w+/g) ?? [],
    )
    const others = [...code.matchAll(/[{,] ?type (\w+)/g)].map(([, name = '']) => name)
    return [...groups, ...others].map((name) => [name, entry] as const)
  })
  return new Map(types)
}

function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? entry.name : []))
}

function declarationOf(views: readonly string[], assets: readonly string[]): string {
  return [
    ...views.map((name) => `import type { ${dataName(name)} } from './${name}.data.ts'`),
    `declare module 'pergola/views' {`,
    '  interface Views {',
    ...views.map((name) => `    '${name}': Known<${dataName(name)}>`),
    '  }',
    '  interface AssetFiles {',
    ...assets.map((name) => `    ${JSON.stringify(name)}: string`),
    '  }',
    '}',
    // A type that can't be found is `any`, and fits each view.
    'type Known<Data> = 0 extends 1 & Data ? unknown : Data',
    '',
  ].join('\n')
}

/** Leaves unchanged files as they are, so that editors and incremental checks don't read them again. */
function write(folder: string, texts: ReadonlyMap<string, string>): void {
  for (const [path, text] of texts) {
    const file = join(folder, path)
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (/\.[jt]s$/.test(path) && !texts.has(path.replaceAll('\\', '/'))) rmSync(join(folder, path))
}
