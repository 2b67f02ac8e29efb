import { gitIfInstalled } from './git.ts'

/** Returns the files whose current content the last commit doesn't have. */
export function uncommittedIn(root: string, files: readonly string[]): readonly string[] {
  if (files.length === 0) return []
  const list = gitIfInstalled(['ls-tree', '-r', '-z', 'HEAD', '--', ...files], { cwd: root })
  // Git hashes the files with the line ends that a commit would store.
  const contents = gitIfInstalled(['hash-object', '--', ...files], { cwd: root })
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
