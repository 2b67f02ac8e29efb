import { posix } from 'node:path'
import { withoutSections, withoutTexts } from '../scaffold/companions.ts'
import { textOf, type Tree, withText } from './tree.ts'

interface Trees {
  readonly base: Tree
  readonly ours: Tree
  readonly theirs: Tree
}

/** Returns a function that returns whether a new file belongs to a removed resource of Pergola, such as `app/posts`. */
export function removedResources(trees: Trees): (path: string) => boolean {
  const folders = removedFolders(trees)
  const listed = new Set(folders.flatMap((folder) => filesOf(trees.theirs, folder)))
  return (path) =>
    listed.has(path) ||
    folders.some((folder) => ['app', 'views', 'e2e'].some((top) => path.startsWith(`${top}/${folder}/`)))
}

/**
 * Removes the sections about removed resources from the guides of both versions, and the texts that name their columns
 * from other files, as `destroy` does.
 */
export function withoutRemovedSections<Input extends Trees>(trees: Input): Input {
  const folders = removedFolders(trees)
  if (folders.length === 0) return trees
  const texts = Object.fromEntries(
    folders.flatMap((folder) => Object.entries(listOf(trees.theirs, folder, 'companions.json').texts ?? {})),
  )
  const cut = (tree: Tree): Tree =>
    new Map(
      [...tree].map(([path, blob]) => {
        const before = GUIDE_PAGE.test(path) || path in texts ? textOf(blob) : null
        if (before === null) return [path, blob]
        const sections = folders.reduce((text, folder) => withoutSections(text, { folder }), before)
        const after = withoutTexts(sections, texts[path] ?? [])
        return [path, after === before ? blob : withText(blob, after)]
      }),
    )
  return { ...trees, base: cut(trees.base), theirs: cut(trees.theirs) }
}

const GUIDE_PAGE = /^(?:docs\/.+|[^/]+)\.md$/

/** Returns the folders of the resources that the old version contains and the developer has removed. */
const removedFolders = ({ base, ours }: Trees): string[] =>
  [...base.keys()]
    .filter((path) => /^app\/[^/]+\/scaffold\.json$/.test(path) && !ours.has(path))
    .map((path) => posix.basename(posix.dirname(path)))

/** Returns the files that the records of a resource list: its generated files and its companions. */
function filesOf(tree: Tree, folder: string): string[] {
  const { files: scaffolded = {} } = listOf(tree, folder, 'scaffold.json')
  const { files: companions = [] } = listOf(tree, folder, 'companions.json')
  return [...Object.keys(scaffolded), ...(Object.values(companions) as string[])]
}

interface List {
  readonly files?: object
  readonly texts?: Readonly<Record<string, readonly string[]>>
}

function listOf(tree: Tree, folder: string, name: 'scaffold.json' | 'companions.json'): List {
  const blob = tree.get(`app/${folder}/${name}`)
  return blob === undefined ? {} : (JSON.parse(textOf(blob) ?? '{}') as List)
}
