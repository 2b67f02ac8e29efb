import { posix } from 'node:path'
import { textOf, type Tree } from './tree.ts'

/** Whether a new file belongs to a shipped resource, the sample, that the owner has removed. */
export function removedResources({
  base,
  ours,
  theirs,
}: {
  base: Tree
  ours: Tree
  theirs: Tree
}): (path: string) => boolean {
  const folders = [...base.keys()]
    .filter((path) => /^app\/[^/]+\/scaffold\.json$/.test(path) && !ours.has(path))
    .map((path) => posix.basename(posix.dirname(path)))
  const listed = new Set(folders.flatMap((folder) => filesOf(theirs, folder)))
  return (path) =>
    listed.has(path) ||
    folders.some((folder) => ['app', 'views', 'e2e'].some((top) => path.startsWith(`${top}/${folder}/`)))
}

/** The files that a resource's records list: those that were scaffolded, and its companions. */
function filesOf(tree: Tree, folder: string): string[] {
  const record = (name: string) => {
    const blob = tree.get(`app/${folder}/${name}`)
    return blob === undefined ? {} : (JSON.parse(textOf(blob) ?? '{}') as { files?: object })
  }
  const { files: scaffolded = {} } = record('scaffold.json')
  const { files: companions = [] } = record('companions.json')
  return [...Object.keys(scaffolded), ...(Object.values(companions) as string[])]
}
