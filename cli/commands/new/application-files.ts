import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Origin } from '../../project/place.ts'
import { applicationTree } from './development.ts'
import { textIn, type Tree, writeBlob } from '../../upgrade/tree.ts'
import type { ApplicationNames } from './application-names.ts'

interface Application {
  readonly names: ApplicationNames
  readonly origin: Origin
}

/** Returns the files of an application from those of a version of Pergola. Writes the changed ones into the store. */
export function applicationFiles(store: string, version: Tree, application: Application): Tree {
  const tree = new Map(applicationTree(store, version))
  const put = (path: string, text: string) => tree.set(path, { mode: '100644', id: writeBlob(store, text) })
  for (const [path, rewrite] of Object.entries(rewrites(application)))
    if (tree.has(path)) put(path, rewrite(textIn(store, tree, path)))
  put('README.md', readmeOf(application.names))
  // The license is that of Pergola, and not of the application.
  put('app/framework/LICENSE', textIn(store, version, 'LICENSE'))
  return tree
}

type Rewrite = (text: string) => string

/** Returns how the files of Pergola change that name the application, by path. */
function rewrites({ names, origin }: Application): Readonly<Record<string, Rewrite>> {
  const { packageName, title, identifier } = names
  const inDatabase: Rewrite = (text) => text.replaceAll(/\bpergola\b/g, identifier)
  const named = { name: packageName, version: '0.1.0' }
  return {
    'package.json': json((record) => ({
      ...record,
      ...named,
      license: undefined,
      description: title,
      pergola: { ...origin, development: false },
    })),
    'package-lock.json': json((lock) => {
      const { '': own = {}, ...packages } = lock['packages'] as Readonly<Record<string, Json>>
      const root = { ...own, ...named, license: undefined }
      return { ...lock, ...named, packages: { '': root, ...packages } }
    }),
    'app/config.toml': (text) =>
      text
        .replace('name = "Pergola"', () => `name = ${JSON.stringify(title)}`)
        .replace('Pergola <', () => `${title.replaceAll(/[^\p{L}\p{N} ]/gu, '')} <`),
    'public/root/manifest.webmanifest': (text) => text.replace('"Pergola"', () => JSON.stringify(title)),
    'docker-compose.yml': inDatabase,
    '.env.example': inDatabase,
    '.devcontainer/devcontainer.json': (text) => text.replace('"Pergola"', () => JSON.stringify(title)),
  }
}

type Json = Readonly<Record<string, unknown>>

const json =
  (change: (value: Json) => Json): Rewrite =>
  (text) =>
    `${JSON.stringify(change(JSON.parse(text) as Json), null, 2)}\n`

const readmeOf = ({ title }: ApplicationNames): string =>
  readFileSync(join(import.meta.dirname, 'application-readme.md'), 'utf8').replaceAll('App name', () => title)
