import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unix } from '../scaffold/project/file-text.ts'
import { git, tryGit } from './git.ts'

export interface Blob {
  readonly bytes: Buffer
  readonly executable: boolean
}

/** The files of a version, or of an application, by path. Symbolic links are left out: nothing follows or replaces one. */
export type Tree = ReadonlyMap<string, Blob>

/** The files of a commit, but those with a path that no file of an application has. */
export function treeOf(store: string, commit: string): Tree {
  const entries = list(git(['ls-tree', '-r', '-z', commit], { cwd: store })).flatMap((line) => {
    const [, mode, id = '', path = ''] = /^(\d+) blob (\w+)\t(.*)$/s.exec(line) ?? []
    return (mode === '100644' || mode === '100755') && isOwnPath(path)
      ? [{ path, id, executable: mode === '100755' }]
      : []
  })
  const blobs = readBlobs(
    store,
    entries.map(({ id }) => id),
  )
  return new Map(
    entries.map(({ path, executable }, at) => [path, { bytes: blobs[at] ?? Buffer.of(), executable }]),
  )
}

/**
 * Returns whether an untrusted upstream may write this path. It may not write outside of the application (on Windows too), or
 * into the folders of git, npm and the upgrade.
 */
const isOwnPath = (path: string): boolean =>
  !path.includes('\\') &&
  path.split('/').every((segment) => {
    // Windows ignores dots and spaces at the end, and what follows a colon is not the file's name.
    const name = segment.replace(/:.*$/s, '').replace(/[. ]+$/, '')
    return name !== '' && !/^[a-z]:/i.test(segment) && !FOREIGN.test(name)
  })

const FOREIGN = /^(?:\.git|git~1|\.data|node_modules)$/i

/** `git cat-file --batch` answers `<id> blob <size>\n<bytes>\n` for each id. */
function readBlobs(store: string, ids: readonly string[]): Buffer[] {
  if (ids.length === 0) return []
  const answer = git(['cat-file', '--batch'], { cwd: store, input: `${ids.join('\n')}\n` })
  let at = 0
  return ids.map(() => {
    const start = answer.indexOf('\n', at) + 1
    const size = Number(answer.subarray(at, start).toString().trim().split(' ')[2])
    at = start + size + 1
    return answer.subarray(start, start + size)
  })
}

/**
 * The files of an application: what git knows or would add, and ignored files at the paths of the new version. `store` is
 * used if the folder is in no repository.
 */
export function treeOnDisk(root: string, store: string, theirs: Iterable<string> = []): Tree {
  const isRepository = tryGit(['rev-parse', '--show-prefix'], { cwd: root }) !== null
  const where = isRepository ? [] : [`--git-dir=${store}`, `--work-tree=${root}`]
  const paths = list(
    git([...where, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root }),
  )
  return new Map(
    [...new Set([...paths, ...theirs])].flatMap((path) => {
      const blob = path.startsWith('.data/') ? null : blobAt(join(root, path))
      return blob === null ? [] : [[path, blob] as const]
    }),
  )
}

function blobAt(file: string): Blob | null {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true) return null
  return { bytes: readFileSync(file), executable: (stats.mode & 0o100) !== 0 }
}

const list = (output: Buffer): string[] => output.toString().split('\0').filter(Boolean)

/** The text of a file; null if it is binary. */
export function textOf({ bytes }: Blob): string | null {
  if (bytes.includes(0)) return null
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? text : null
}

export const withText = (blob: Blob, text: string): Blob => ({ ...blob, bytes: Buffer.from(text) })

/** Whether two files have the same content. A checkout may have other line endings. */
export function sameContent(one: Blob, other: Blob): boolean {
  if (one.bytes.equals(other.bytes)) return true
  const texts = [textOf(one), textOf(other)]
  const [first, second] = texts
  return typeof first === 'string' && typeof second === 'string' && unix(first) === unix(second)
}
