import { posix } from 'node:path'
import { withoutSections, withoutTexts } from '../scaffold/companions.ts'
import { isSame, readBlob, type Sides, textIn, textOf, type Tree, writeBlob } from './tree.ts'

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
  const lists = folders.flatMap((folder) =>
    ['scaffold.json', 'companions.json'].map((name) => listIn(store, theirs, `app/${folder}/${name}`)),
  )
  const texts = Object.assign({}, ...lists.map((list) => list.texts)) as Texts
  // A file that the new version does not change needs no merge.
  const isChanged = (path: string) => !isSame(base.get(path), theirs.get(path))
  const cut = (tree: Tree): Tree => withoutTextsAbout(store, tree, { folders, texts, isChanged })
  const listed = new Set(lists.flatMap(({ files = {} }) => [...Object.keys(files), ...Object.values(files)]))
  const isOfRemoved = (path: string) =>
    listed.has(path) || folders.some((folder) => new RegExp(`^(?:app|views|e2e)/${folder}/`).test(path))
  const isKept = (path: string) => base.has(path) || ours.has(path) || !isOfRemoved(path)
  return { ours, base: cut(base), theirs: new Map([...cut(theirs)].filter(([path]) => isKept(path))) }
}

type Texts = Readonly<Record<string, readonly string[]>>

/** The lists of a resource: the digests of its generated files by path, or a list of its companions. */
interface List {
  readonly files?: Readonly<Record<string, string>> | readonly string[]
  readonly texts?: Texts
}

const listIn = (store: string, tree: Tree, path: string): List =>
  JSON.parse(textIn(store, tree, path) || '{}') as List

const GUIDE_PAGE = /^(?:docs\/.+|[^/]+)\.md$/

interface Cut {
  readonly folders: readonly string[]
  readonly texts: Texts
  readonly isChanged: (path: string) => boolean
}

function withoutTextsAbout(store: string, tree: Tree, { folders, texts, isChanged }: Cut): Tree {
  const cut = new Map(tree)
  for (const [path, entry] of tree) {
    if (!isChanged(path) || !(GUIDE_PAGE.test(path) || path in texts)) continue
    const before = textOf(readBlob(store, entry))
    if (before === null) continue
    const sections = folders.reduce((text, folder) => withoutSections(text, { folder }), before)
    const after = withoutTexts(sections, texts[path] ?? [])
    if (after !== before) cut.set(path, { ...entry, id: writeBlob(store, after) })
  }
  return cut
}
