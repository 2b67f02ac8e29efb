import { join } from 'node:path'
import { API, type Checker, SymbolFlags, type Type } from 'typescript/unstable/sync'

/** The types of the application, without those of its tests, and of one file that is in no folder. */
export interface TypeProject {
  readonly checker: Checker
  /** A type that the file declares, by its name. */
  type(name: string): Type
  close(): void
}

/**
 * Opens the project with a file of this text, which may import what any file of ours may. Takes a third of a second.
 * It is the compiler that is asked, since what Kysely makes of a table type is for no parser of ours to say; its
 * interface is still called unstable, and used in this file alone.
 */
export function openTypes(root: string, text: string): TypeProject {
  const folder = join(root, '.data/types')
  const config = join(folder, 'tsconfig.json')
  const file = join(folder, 'asked.ts')
  const files = new Map([
    [config, JSON.stringify(settings(root, file))],
    [file, text],
  ])
  const api = new API({
    cwd: root,
    fs: {
      readFile: (path) => files.get(path),
      fileExists: (path) => files.has(path) || undefined,
      directoryExists: (path) => path === folder || undefined,
    },
  })
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
  if (project === undefined) throw new Error('The TypeScript compiler could not open this project.')
  const { checker } = project
  return {
    checker,
    type: (name) => {
      const symbol = checker.resolveName(name, SymbolFlags.Type, { document: file, position: 0 })
      if (symbol === undefined) throw new Error(`There is no type ${name}.`)
      return checker.getDeclaredTypeOfSymbol(symbol)
    },
    close: () => api.close(),
  }
}

const settings = (root: string, file: string) => ({
  extends: join(root, 'tsconfig.json'),
  files: [file],
  include: [join(root, 'app')],
  exclude: ['app/framework', 'app/**/*.test.ts', 'app/test'].map((path) => join(root, path)),
})
