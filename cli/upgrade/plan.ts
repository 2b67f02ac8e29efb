import { asIn } from '../project/file-text.ts'
import { gitText } from '../project/git.ts'
import { publicPlace } from '../project/place.ts'
import { withAddOns } from '../add-ons/both-versions.ts'
import { aligned, type Aligned, renamesBetween } from './align.ts'
import { asCreated } from '../application/application-version.ts'
import { mergeTrees } from './merge.ts'
import { originOf, releaseOf } from './origin.ts'
import { withoutRemovedResources } from './removed-resources.ts'
import type { Resolution } from './merging/resolve.ts'
import type { Generated } from './resources.ts'
import type { Store } from './source.ts'
import { isSame, type Sides, textIn, type Tree, treeOf, upstreamTree, writeBlob } from './tree.ts'
import { refuseObstacles } from './write.ts'

export type Verb = 'add' | 'move' | 'replace' | 'remove' | 'merge' | 'keep'

/** The result of the upgrade for one file of the application. */
export interface Outcome {
  readonly path: string
  readonly verb: Verb
  /** The path in the old version, if upstream moved the file. */
  readonly movedFrom?: string
  /** The conflict that the developer must resolve, as a sentence. */
  readonly decision?: string
}

/** The versions of an upgrade, as commits in the store. */
export interface Versions {
  readonly base: string
  readonly theirs: string
  /** Whether `theirs` is a commit that exists only on this machine. */
  readonly isSnapshot: boolean
  /** The URL or folder of the new version. */
  readonly from: string
}

export interface PlanInput extends Versions {
  readonly root: string
  readonly store: Store
  readonly markers: boolean
  readonly sides: AppSides
  readonly generated: Generated | null
}

/** The old version, the last commit of the application, and the new version. */
export interface AppSides extends Sides {
  /** The last commit of the repository, which contains the application. */
  readonly head: string
}

export interface UpgradePlan {
  readonly sides: AppSides
  /** The files of the application after the upgrade. */
  readonly after: Tree
  /** The files that show conflicts, beside the files that have them. */
  readonly besides: readonly string[]
  readonly outcomes: readonly Outcome[]
}

export function sidesOf({
  root,
  store,
  base,
  theirs,
}: Pick<PlanInput, 'root' | 'store' | 'base' | 'theirs'>): AppSides {
  store.linkObjects()
  const head = gitText(['rev-parse', 'HEAD'], { cwd: root })
  return {
    head,
    base: upstreamTree(store.folder, base),
    ours: treeOf(store.folder, gitText(['rev-parse', `${head}:./`], { cwd: root })),
    theirs: upstreamTree(store.folder, theirs),
  }
}

/** Plans the change of each file without writing it to the application. */
export async function planUpgrade(input: PlanInput): Promise<UpgradePlan> {
  const { root, store, markers, sides, generated } = input
  const { folder } = store
  const renames = renamesBetween(folder, input.base, input.theirs)
  const created = asCreated(folder, sides)
  const versions = withAddOns(folder, {
    base: new Map([...created.base, ...(generated?.base ?? [])]),
    ours: sides.ours,
    theirs: new Map([...created.theirs, ...(generated?.theirs ?? [])]),
  })
  const merge = aligned(withoutRemovedResources(folder, versions), renames)
  refuseObstacles(root, sides.ours, merge.theirs.keys())
  const { tree, resolutions: conflicts } = await mergeTrees(folder, merge, markers)
  const resolutions = new Map([...conflicts, ...(generated?.records ?? [])])
  const after = new Map(tree)
  const put = (path: string, content: string | Buffer) => {
    const { mode = '100644' } = after.get(path) ?? merge.ours.get(path) ?? {}
    after.set(path, { mode, id: writeBlob(folder, content) })
  }
  const besides = besidesIn(resolutions)
  refuseObstacles(root, sides.ours, besides)
  for (const [path, { after: content, beside }] of resolutions) {
    if (content === null) after.delete(path)
    else put(path, content)
    if (beside !== undefined) put(beside.path, beside.content)
  }
  put('package.json', stamped(textIn(folder, after, 'package.json'), input))
  return { sides, after, besides, outcomes: outcomesOf(merge, after, resolutions) }
}

/** Returns the text of package.json with the new origin of the application's files. */
function stamped(before: string, { root, store, sides, ...input }: PlanInput): string {
  const record = JSON.parse(before) as Record<string, unknown>
  const { version, pergola } = releaseOf(store, input.theirs)
  const from = originOf(root).from ?? pergola.from ?? publicPlace(input.from)
  const origin = {
    version: pergola.version ?? version,
    commit: input.isSnapshot ? pergola.commit : input.theirs,
    ...(from !== null && { from }),
  }
  const own = textIn(store.folder, sides.ours, 'package.json')
  const [, indent = '  '] = /^([ \t]+)"/m.exec(own) ?? []
  const stamped = { ...record, pergola: Object.assign({}, record['pergola'], origin) }
  return asIn(own, `${JSON.stringify(stamped, null, indent)}\n`)
}

const besidesIn = (resolutions: ReadonlyMap<string, Resolution>): string[] =>
  [...resolutions.values()].flatMap(({ beside }) => beside?.path ?? [])

/** Returns the files that change or require a decision. */
function outcomesOf(
  { base, ours, theirs, moves }: Aligned,
  after: Tree,
  resolutions: ReadonlyMap<string, Resolution>,
): Outcome[] {
  const besides = new Set(besidesIn(resolutions))
  const verbOf = (path: string): Verb | null => {
    const [own, merged] = [ours.get(path), after.get(path)]
    if (merged === undefined) return 'remove'
    if (own === undefined) return besides.has(path) ? null : 'add'
    const isEdited = !isSame(own, base.get(path))
    if (moves.has(path)) return isEdited ? 'merge' : 'move'
    if (isSame(own, merged)) return resolutions.get(path)?.decision === undefined ? null : 'keep'
    return isEdited && !isSame(merged, theirs.get(path)) ? 'merge' : 'replace'
  }
  return [...new Set([...ours.keys(), ...after.keys()])].toSorted().flatMap((path) => {
    const verb = verbOf(path)
    if (verb === null) return []
    const [movedFrom, decision] = [moves.get(path), resolutions.get(path)?.decision]
    return [{ path, verb, ...(movedFrom && { movedFrom }), ...(decision && { decision }) }]
  })
}
