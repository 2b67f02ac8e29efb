import { tryGit } from '../../upgrade/git.ts'

/** Those of these files that git couldn't bring back: the last commit doesn't have them, or not as they are. */
export function uncommittedIn(root: string, files: readonly string[]): readonly string[] {
  if (files.length === 0) return []
  const list = gitIn(root, ['ls-tree', '-r', '-z', 'HEAD', '--', ...files])
  // What is there as a commit would have it, with the ends of lines that the repository has.
  const contents = gitIn(root, ['hash-object', '--', ...files])
  if (list === null || contents === null) return files
  const committed = new Map(list.split('\0').map(entryOf))
  const digests = contents.split('\n')
  return files.filter((file, index) => committed.get(file) !== digests[index])
}

/** `100644 blob 3b18e5…<tab>app/posts/post.ts` */
function entryOf(line: string): readonly [path: string, digest: string] {
  const [head = '', path = ''] = line.split('\t', 2)
  return [path, head.split(' ')[2] ?? '']
}

/** Null where git fails, and where there is no git. */
function gitIn(cwd: string, args: readonly string[]): string | null {
  try {
    return tryGit(args, { cwd })
  } catch {
    return null
  }
}
