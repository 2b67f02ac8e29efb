import { posix } from 'node:path'
import { withoutSections, withoutTexts } from '../scaffold/companions.ts'
import { type Entry, isSame, readBlob, type Sides, textIn, textOf, writeBlob } from './tree.ts'

const GUIDE_PAGE = /^(?:docs\/.+|[^/]+)\.md$/

/**
 * Returns both versions without the resources of Pergola that the developer has removed, such as `app/posts`: without the
 * sections about them in guides, the texts that name their columns in other files, and their new files.
 */
export function withoutRemovedResources(store: string, sides: Sides): Sides {
  const { base, ours, theirs } = sides
  const folders = [...base.keys()]
    .filter((path) => /^app\/[^/]+\/scaffold\.json$/.test(path) && !ours.has(path))
    .map((path) => posix.basename(posix.dirname(path)))
  if (folders.length === 0) return sides
  const lists = folders.flatMap((folder) => listsOf(store, sides, folder))
  const texts = Object.assign({}, ...lists.map((list) => list.texts)) as Required<List>['texts']
  const cut = ([path, entry]: readonly [string, Entry]): [string, Entry] => {
    // A file that the new version does not change needs no merge.
    const isCut = (GUIDE_PAGE.test(path) || path in texts) && !isSame(base.get(path), theirs.get(path))
    const before = isCut ? textOf(readBlob(store, entry)) : null
    if (before === null) return [path, entry]
    const sections = folders.reduce((text, folder) => withoutSections(text, { folder }), before)
    const after = withoutTexts(sections, texts[path] ?? [])
    return [path, after === before ? entry : { ...entry, id: writeBlob(store, after) }]
  }
  const listed = new Set(lists.flatMap(({ files = {} }) => [...Object.keys(files), ...Object.values(files)]))
  const inFolders = new RegExp(`^(?:app|views|e2e)/(?:${folders.join('|')})/`)
  const kept = [...theirs].filter(
    ([path]) => base.has(path) || ours.has(path) || !(listed.has(path) || inFolders.test(path)),
  )
  return { ours, base: new Map([...base].map(cut)), theirs: new Map(kept.map(cut)) }
}

interface List {
  /** The digests of the generated files by path, or a list of the companions. */
  readonly files?: Readonly<Record<string, string>> | readonly string[]
  readonly texts?: Readonly<Record<string, readonly string[]>>
}

const listsOf = (store: string, { theirs }: Sides, folder: string): List[] =>
  ['scaffold.json', 'companions.json'].map(
    (name) => JSON.parse(textIn(store, theirs, `app/${folder}/${name}`) || '{}') as List,
  )
