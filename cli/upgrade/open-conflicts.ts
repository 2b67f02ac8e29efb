import { Exit, EXIT } from '../exit.ts'
import { hasConflicts } from './conflicts.ts'
import { openStore } from './source.ts'
import { unix } from '../project/file-text.ts'
import { textOf, type Tree, treeOnDisk } from './tree.ts'

/**
 * Throws if conflicts of an earlier upgrade are unresolved, because another upgrade would overwrite the files that
 * show them.
 */
export async function refuseOpenConflicts(root: string): Promise<void> {
  const store = openStore(root)
  try {
    const open = openConflictsIn(treeOnDisk(root, store.folder))
    if (open.length === 0) return
    const list = open.map((line) => `  ${line}`)
    const title = `Unresolved conflicts of an earlier upgrade (${open.length}):`
    throw new Exit(EXIT.conflict, [title, ...list, 'No files were written.'].join('\n'))
  } finally {
    await store.close()
  }
}

/** Returns the files with unresolved conflicts, each with the step that resolves them. */
export function openConflictsIn(tree: Tree): string[] {
  return [...tree].flatMap(([path, blob]) => {
    const [, file = '', kind] = /^(.*)\.(conflict|theirs)$/.exec(path) ?? []
    const text = textOf(blob)
    if (text === null)
      return kind === 'theirs' && tree.has(file)
        ? [`${file}: compare it with ${path}, then delete ${path}.`]
        : []
    if (!hasConflicts(unix(text))) return []
    if (kind === 'conflict') return [`${file}: resolve the conflicts shown in ${path}, then delete ${path}.`]
    return [`${path}: resolve the conflict markers in the file.`]
  })
}
