import { posix } from 'node:path'
import { mergeFile } from './merge-file.ts'
import { removedResources, withoutRemovedSections } from './removed-resources.ts'
import { type Blob, sameContent, type Tree } from './tree.ts'

export type Verb = 'add' | 'move' | 'replace' | 'remove' | 'merge' | 'rewrite' | 'keep'

/** The result of the merge for one file of the application. */
export interface Outcome {
  readonly path: string
  readonly verb: Verb
  /** The path in the old version, if upstream moved the file. */
  readonly movedFrom?: string
  /** Null for a removed file. */
  readonly after: Blob | null
  /** The conflict that the developer must resolve, as a sentence. */
  readonly decision?: string
  /** A second file with the changes of the new version that were not merged. */
  readonly beside?: { readonly path: string; readonly blob: Blob }
}

export interface MergeInput {
  readonly base: Tree
  readonly ours: Tree
  readonly theirs: Tree
  /** New paths by old ones. */
  readonly renames: ReadonlyMap<string, string>
  /** Whether to write conflict markers into the files, as git does. */
  readonly markers?: boolean
}

/** Merges each file of the new version into the application. Omits files that only the application has. */
export async function mergeTrees(trees: MergeInput): Promise<Outcome[]> {
  const input = withoutRemovedSections(trees)
  const { base, theirs, renames } = input
  const moved = new Set(renames.values())
  const isOfRemoved = removedResources(input)
  const added = [...theirs.keys()].filter(
    (path) => !base.has(path) && !moved.has(path) && (input.ours.has(path) || !isOfRemoved(path)),
  )
  const outcomes: Outcome[] = []
  for (const path of base.keys()) outcomes.push(...(await outcomeOfOld(path, input)))
  for (const path of added) outcomes.push(...(await outcomeOfNew(path, input)))
  return outcomes.toSorted((one, other) => (one.path < other.path ? -1 : 1))
}

/** Merges a file that the old version has. */
async function outcomeOfOld(from: string, input: MergeInput): Promise<Outcome[]> {
  const { base, ours, theirs, renames } = input
  const path = renames.get(from) ?? from
  const [old, own, fresh] = [base.get(from), ours.get(from), theirs.get(path)]
  // A file that the developer deleted is not added again.
  if (old === undefined || own === undefined) return []
  const isEdited = !sameBlob(own, old)
  if (fresh === undefined) {
    if (!isEdited) return [{ path, verb: 'remove', after: null }]
    const decision =
      'the new version removes this file, but you edited it. Delete it if you no longer need it.'
    return [{ path, verb: 'keep', after: own, decision }]
  }
  if (path === from) return mergedOutcome(path, { old, own, fresh }, input)
  if (isEdited && isTakenOver(from, path))
    return [...(await mergedOutcome(from, { old, own, fresh }, input)), { path, verb: 'add', after: fresh }]
  const removed: Outcome = { path: from, verb: 'remove', after: null }
  if (ours.has(path)) {
    if (!isEdited) return [removed, ...(await outcomeOfNew(path, input))]
    const decision = `the new version moves this file to ${path}, where you have another file. Merge them by hand.`
    return [{ path: from, verb: 'keep', after: own, decision }]
  }
  const [outcome] = await mergedOutcome(path, { old, own, fresh }, input)
  if (isEdited) return [removed, { path, verb: 'merge', after: own, ...outcome, movedFrom: from }]
  return [removed, { path, verb: 'move', after: fresh, movedFrom: from }]
}

/**
 * Returns whether the framework now contains this partial. An edited copy remains in views/, where it overrides the
 * new one.
 */
const isTakenOver = (from: string, path: string): boolean =>
  from.startsWith('views/') && path === `app/framework/${from}`

async function mergedOutcome(
  path: string,
  { old, own, fresh }: { old: Blob; own: Blob; fresh: Blob },
  { markers = false }: MergeInput,
): Promise<Outcome[]> {
  if (sameBlob(own, fresh) || sameBlob(fresh, old)) return []
  if (sameBlob(own, old)) return [{ path, verb: 'replace', after: fresh }]
  return [{ path, ...(await mergeFile(path, { base: old, ours: own, theirs: fresh }, markers)) }]
}

/** Merges a file that only the new version has. */
async function outcomeOfNew(path: string, { base, ours, theirs, markers }: MergeInput): Promise<Outcome[]> {
  const [own, fresh] = [ours.get(path), theirs.get(path)]
  if (fresh === undefined || (own !== undefined && sameBlob(own, fresh))) return []
  if (own !== undefined)
    return [{ path, ...(await mergeFile(path, { base: null, ours: own, theirs: fresh }, markers)) }]
  return isInDeletedFolder(path, base, ours) ? [] : [{ path, verb: 'add', after: fresh }]
}

/**
 * Returns whether the developer deleted the folder of a new file, for example `app/posts`, the sample resource.
 * Checks the nearest folder that the old version had.
 */
function isInDeletedFolder(path: string, base: Tree, ours: Tree): boolean {
  const folder = posix.dirname(path)
  if (folder === '.') return false
  const has = (tree: Tree) => [...tree.keys()].some((other) => other.startsWith(`${folder}/`))
  return has(base) ? !has(ours) : isInDeletedFolder(folder, base, ours)
}

const sameBlob = (one: Blob, other: Blob): boolean =>
  one.executable === other.executable && sameContent(one, other)
