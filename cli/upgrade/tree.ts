import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { git, gitText } from '../project/git.ts'

/** A file in git: its mode, like 100644, and the id of its content. */
export interface Entry {
  readonly mode: string
  readonly id: string
}

/** The files of a version, or of an application, by path. */
export type Tree = ReadonlyMap<string, Entry>

/** The trees of a merge. */
export type Sides = Readonly<Record<'base' | 'ours' | 'theirs', Tree>>

/** Returns all entries of a commit or tree, for example symbolic links too. */
export const treeOf = (store: string, name: string): Tree =>
  new Map(
    listOf(git(['ls-tree', '-r', '-z', name], { cwd: store })).map((line) => {
      const [, mode = '', id = '', path = ''] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? []
      return [path, { mode, id }] as const
    }),
  )

/** Returns the files of an untrusted version. Omits symbolic links, and the paths that it may not write. */
export const upstreamTree = (store: string, commit: string): Tree =>
  new Map([...treeOf(store, commit)].filter(([path, entry]) => isFile(entry) && isOwnPath(path)))

export const isFile = (entry: Entry | undefined): entry is Entry => entry?.mode.startsWith('100') === true

export const isSame = (one: Entry | undefined, other: Entry | undefined): boolean =>
  one?.id === other?.id && one?.mode === other?.mode

/**
 * Returns whether an untrusted upstream may write this path. It may not write outside of the application (on Windows too), or
 * into the folders of git, npm and the command line.
 */
const isOwnPath = (path: string): boolean =>
  !path.includes('\\') &&
  path.split('/').every((segment) => {
    // Windows ignores trailing dots and spaces. A colon ends the name of the file.
    const name = segment.replace(/:.*$/s, '').replace(/[. ]+$/, '')
    return name !== '' && !/^[a-z]:/i.test(segment) && !FOREIGN.test(name)
  })

const FOREIGN = /^(?:\.git|git~1|\.data|node_modules)$/i

/** Writes a tree into the store and returns its id. */
export function writeTree(store: string, tree: Tree): string {
  const index = { GIT_INDEX_FILE: join(store, 'tree-index') }
  rmSync(index.GIT_INDEX_FILE, { force: true })
  const input = [...tree].map(([path, { mode, id }]) => `${mode} ${id}\t${path}\0`).join('')
  git(['update-index', '-z', '--index-info'], { cwd: store, env: index, input })
  return gitText(['write-tree'], { cwd: store, env: index })
}

/** Writes a file into the store and returns its id. */
export const writeBlob = (store: string, content: string | Buffer): string =>
  gitText(['hash-object', '-w', '--stdin'], { cwd: store, input: content })

export const readBlob = (store: string, { id }: Entry): Buffer =>
  git(['cat-file', 'blob', id], { cwd: store })

/** Returns the text of a file. Returns an empty text if the tree lacks it. */
export function textIn(store: string, tree: Tree, path: string): string {
  const entry = tree.get(path)
  return entry === undefined ? '' : readBlob(store, entry).toString()
}

/** Returns the text of a file; null if it is binary. */
export function textOf(content: Buffer): string | null {
  if (content.includes(0)) return null
  const text = content.toString()
  return Buffer.from(text).equals(content) ? text : null
}

/** Splits the output of a git command with `-z`. */
export const listOf = (output: Buffer): string[] => output.toString().split('\0').filter(Boolean)
