import { tryGit } from './git.ts'

/** Returns the files whose current content the last commit doesn't have. */
export function uncommittedIn(root: string, files: readonly string[]): readonly string[] {
  if (files.length === 0) return []
  const list = gitIn(root, ['ls-tree', '-r', '-z', 'HEAD', '--', ...files])
  // Git hashes the files with the line ends that a commit would store.
  const contents = gitIn(root, ['hash-object', '--', ...files])
  if (list === null || contents === null) return files
  const committed = new Map(list.split('\0').map(entryOf))
  const digests = contents.split('\n')
  return files.filter((file, index) => committed.get(file) !== digests[index])
}

/** Parses a line of `git ls-tree`: `100644 blob 3b18e5…<tab>app/posts/post.ts`. */
function entryOf(line: string): readonly [path: string, digest: string] {
  const [head = '', path = ''] = line.split('\t', 2)
  return [path, head.split(' ')[2] ?? '']
}

/** Returns null if git fails or is not installed. */
function gitIn(cwd: string, args: readonly string[]): string | null {
  try {
    return tryGit(args, { cwd })
  } catch {
    return null
  }
}
