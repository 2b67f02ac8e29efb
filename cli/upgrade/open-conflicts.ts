import { Exit, EXIT } from '../exit.ts'
import { hasConflicts } from './conflicts.ts'
import { openStore } from './source.ts'
import { unix } from '../scaffold/project/file-text.ts'
import { textOf, type Tree, treeOnDisk } from './tree.ts'

/** Throws if conflicts of an earlier upgrade are open: another one would overwrite or merge what describes them. */
export async function refuseOpenConflicts(root: string): Promise<void> {
  const store = openStore(root)
  try {
    const open = openConflictsIn(treeOnDisk(root, store.folder))
    if (open.length === 0) return
    const list = open.map((line) => `  ${line}`)
    const title = `Open decisions of an earlier upgrade (${open.length}):`
    throw new Exit(EXIT.conflict, [title, ...list, 'No files were written.'].join('\n'))
  } finally {
    await store.close()
  }
}

/** The files with conflicts that an upgrade has written, each with what to do about it. */
export function openConflictsIn(tree: Tree): string[] {
  return [...tree].flatMap(([path, blob]) => {
    const [, file = '', kind] = /^(.*)\.(conflict|theirs)$/.exec(path) ?? []
    const text = textOf(blob)
    if (text === null)
      return kind === 'theirs' && tree.has(file) ? [`${file}: compare it with ${path}, then delete that`] : []
    if (!hasConflicts(unix(text))) return []
    if (kind === 'conflict') return [`${file}: see ${path}, then delete that`]
    return [`${path}: choose between the conflict markers`]
  })
}
