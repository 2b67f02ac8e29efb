import { textIn, type Tree, writeBlob } from '../upgrade/tree.ts'
import type { ApplicationNames } from './application-names.ts'
import { withoutDevelopment } from './development-files.ts'

/** Returns the files of an application from those of a version of Pergola. Writes changed files into the store. */
export function applicationFiles(store: string, version: Tree, names: ApplicationNames): Tree {
  const tree = new Map(withoutDevelopment(store, version))
  for (const [path, rewrite] of Object.entries(rewrites(names)).filter(([path]) => tree.has(path)))
    tree.set(path, { mode: '100644', id: writeBlob(store, rewrite(textIn(store, tree, path))) })
  const license = version.get('LICENSE')
  // It is the license of Pergola, and not of the application.
  if (license !== undefined) tree.set('app/framework/LICENSE', license)
  return tree
}

type Rewrite = (text: string) => string

/** Returns how the files of Pergola change that name the application, by path. */
function rewrites(names: ApplicationNames): Readonly<Record<string, Rewrite>> {
  const { name, title } = names
  const identifier = name.replaceAll('-', '_').replace(/^(?=\d)/, 'app_')
  const sender = title.replaceAll(/[^\p{L}\p{M}\p{N} ]/gu, '').trim() || name
  const own = { name, version: '0.1.0', license: undefined }
  const titled: Rewrite = (text) => text.replace('"Pergola"', () => JSON.stringify(title))
  const inDatabase: Rewrite = (text) => text.replaceAll(/\bpergola\b/g, identifier)
  const ofMails: Rewrite = (text) => text.replace('Pergola <', () => `${sender} <`)
  return {
    'package.json': json((record) => ({
      ...record,
      ...own,
      description: title,
      pergola: { ...(record['pergola'] as Json | undefined), application: names },
    })),
    'package-lock.json': json((lock) => {
      const { '': root = {}, ...packages } = lock['packages'] as Readonly<Record<string, Json>>
      return { ...lock, ...own, packages: { '': { ...root, ...own }, ...packages } }
    }),
    'app/config.toml': (text) => ofMails(titled(text)),
    'public/root/manifest.webmanifest': titled,
    '.devcontainer/devcontainer.json': titled,
    'docker-compose.yml': inDatabase,
    '.env.example': (text) => ofMails(inDatabase(text)),
  }
}

type Json = Readonly<Record<string, unknown>>

const json =
  (change: (value: Json) => Json): Rewrite =>
  (text) =>
    `${JSON.stringify(change(JSON.parse(text) as Json), null, 2)}\n`
