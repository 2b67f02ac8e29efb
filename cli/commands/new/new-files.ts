import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applicationFiles } from '../../application/application-files.ts'
import type { ApplicationNames } from '../../application/application-names.ts'
import type { Origin } from '../../project/place.ts'
import { textIn, type Tree, writeBlob } from '../../upgrade/tree.ts'

interface Application {
  readonly names: ApplicationNames
  readonly origin: Origin
}

/** Returns the files of a new application, from those of a version of Pergola. Writes changed files into the store. */
export function newFiles(store: string, version: Tree, { names, origin }: Application): Tree {
  const files = new Map(applicationFiles(store, version, names))
  const put = (path: string, text: string) => files.set(path, { mode: '100644', id: writeBlob(store, text) })
  const record = JSON.parse(textIn(store, files, 'package.json')) as { pergola: object }
  const stamped = { ...record, pergola: { ...record.pergola, ...origin } }
  put('package.json', `${JSON.stringify(stamped, null, 2)}\n`)
  // An upgrade compares no README: it belongs to the application.
  put(
    'README.md',
    README.replaceAll('App name', () => names.title),
  )
  return files
}

const README = readFileSync(join(import.meta.dirname, 'application-readme.md'), 'utf8')
