import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { unix } from '../project/file-text.ts'
import { git, tryGit } from '../project/git.ts'

export interface Blob {
  readonly bytes: Buffer
  readonly executable: boolean
}

/**
 * The files of a version, or of an application, by path. Omits symbolic links, so that the upgrade neither follows nor
 * replaces them.
 */
export type Tree = ReadonlyMap<string, Blob>

/** Returns the files of a commit. Omits the paths that upstream may not write. */
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
    // Windows ignores trailing dots and spaces. A colon ends the name of the file.
    const name = segment.replace(/:.*$/s, '').replace(/[. ]+$/, '')
    return name !== '' && !/^[a-z]:/i.test(segment) && !FOREIGN.test(name)
  })

const FOREIGN = /^(?:\.git|git~1|\.data|node_modules)$/i

/** Reads blobs. `git cat-file --batch` prints `<id> blob <size>\n<bytes>\n` for each id. */
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
 * Returns the files of an application: tracked files, untracked files, and ignored files at the paths of the new version.
 * Lists them with the repository `store` if the application has none.
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

/** Returns the text of a file; null if it is binary. */
export function textOf({ bytes }: Blob): string | null {
  if (bytes.includes(0)) return null
  const text = bytes.toString()
  return Buffer.from(text).equals(bytes) ? text : null
}

export const withText = (blob: Blob, text: string): Blob => ({ ...blob, bytes: Buffer.from(text) })

/** Returns whether two files have the same content. Ignores line endings, because a checkout can change them. */
export function sameContent(one: Blob, other: Blob): boolean {
  if (one.bytes.equals(other.bytes)) return true
  const texts = [textOf(one), textOf(other)]
  const [first, second] = texts
  return typeof first === 'string' && typeof second === 'string' && unix(first) === unix(second)
}
