import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Exit, EXIT } from '../exit.ts'
import { unix } from '../project/file-text.ts'
import { git } from '../project/git.ts'
import { hasConflicts, LABELS } from './conflicts.ts'
import { listOf, textOf } from './tree.ts'

/**
 * Throws if conflicts of an earlier upgrade are unresolved, because another upgrade would overwrite the files that
 * show them.
 */
export function refuseOpenConflicts(root: string): void {
  const open = openConflictsIn(root)
  if (open.length === 0) return
  const list = open.map((line) => `  ${line}`)
  const title = `Unresolved conflicts of an earlier upgrade (${open.length}):`
  throw new Exit(EXIT.conflict, [title, ...list, 'No files were written.'].join('\n'))
}

/** Returns the files with unresolved conflicts, each with the step that resolves them. */
export function openConflictsIn(root: string): string[] {
  const found = git(['grep', '-lz', '--untracked', `^<<<<<<< ${LABELS[0]}`], {
    cwd: root,
    isDone: (status) => status <= 1,
  })
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = new Set(listOf(git(words, { cwd: root })))
  const contentOf = (path: string) => readFileSync(join(root, path))
  const marked = listOf(found).filter((path) => hasConflicts(unix(contentOf(path).toString())))
  const binary = [...files].filter(
    (path) =>
      path.endsWith('.theirs') &&
      files.has(path.replace(/\.theirs$/, '')) &&
      textOf(contentOf(path)) === null,
  )
  return [
    ...marked.map((path) => {
      const file = path.replace(/\.conflict$/, '')
      return file === path
        ? `${path}: resolve the conflict markers in the file.`
        : `${file}: resolve the conflicts shown in ${path}, then delete ${path}.`
    }),
    ...binary.map((path) => {
      const file = path.replace(/\.theirs$/, '')
      return `${file}: compare it with ${path}, then delete ${path}.`
    }),
  ].toSorted()
}
