import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Exit, EXIT } from '../exit.ts'
import { unix } from '../project/file-text.ts'
import { git } from '../project/git.ts'
import { hasConflicts } from './merging/conflicts.ts'
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
  const words = ['-c', 'grep.fullName=false', 'grep', '--no-color', '-lzG', '--untracked', '^<<<<<<< yours']
  const found = listOf(git(words, { cwd: root, isDone: (status) => status <= 1 }))
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.theirs']
  const beside = new Set(listOf(git(list, { cwd: root })))
  const contentOf = (path: string) => readFileSync(join(root, path))
  const marked = found.filter((path) => hasConflicts(unix(contentOf(path).toString())))
  const binary = [...beside].filter((path) => {
    const files = [path, path.replace(/\.theirs$/, '')]
    return files.every((file) => existsSync(join(root, file))) && textOf(contentOf(path)) === null
  })
  return [...marked, ...binary].toSorted().map((path) => {
    const [, file, kind] = /^(.*)\.(conflict|theirs)$/.exec(path) ?? []
    if (kind === undefined) return `${path}: resolve the conflict markers in the file.`
    if (kind === 'theirs') return `${file}: compare it with ${path}, then delete ${path}.`
    return `${file}: resolve the conflicts shown in ${path}, then delete ${path}.`
  })
}
