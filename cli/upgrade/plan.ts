import { originOf } from './origin.ts'
import { applyCodemods, type Codemod, codemodsBetween } from './codemods.ts'
import { gitText } from '../project/git.ts'
import { mergeTrees, type Outcome } from './merge.ts'
import { refuseObstacles } from './obstacles.ts'
import { type Origin, publicPlace } from '../project/place.ts'
import type { Store } from './source.ts'
import { asIn } from '../project/file-text.ts'
import { sameContent, textOf, type Tree, treeOf, treeOnDisk, withText } from './tree.ts'

export interface PlanInput {
  readonly root: string
  readonly store: Store
  readonly base: string
  readonly theirs: string
  /** Whether `theirs` is a commit that exists only on this machine. */
  readonly isSnapshot?: boolean
  /** The URL or folder of the new version. */
  readonly from: string
  readonly markers?: boolean
}

export interface UpgradePlan {
  /** The current files of the application. */
  readonly now: Tree
  /** The version that the application came from. */
  readonly old: Tree
  readonly theirs: Tree
  /** The old version and the application after the codemods. */
  readonly base: Tree
  readonly ours: Tree
  readonly codemods: readonly Codemod[]
  readonly outcomes: readonly Outcome[]
}

export const LOCKFILE = 'package-lock.json'

/** Plans the change of each file without writing it. */
export async function planUpgrade({ root, store, markers, ...input }: PlanInput): Promise<UpgradePlan> {
  const [old, theirs] = [treeOf(store.folder, input.base), treeOf(store.folder, input.theirs)]
  const now = treeOnDisk(root, store.folder, theirs.keys())
  const codemods = codemodsBetween(old, theirs)
  const { base, ours } = await applyCodemods({ base: old, ours: now }, codemods, root)
  const renames = renamesBetween(store, input, ours)
  const merge = { base, ours, theirs, renames, ...(markers === true && { markers }) }
  const merged = await mergeTrees(merge)
  const outcomes = [
    ...merged.filter(({ path }) => path !== LOCKFILE && path !== 'package.json'),
    ...lockOutcome({ base, ours, theirs }),
    stamped(merged, { root, ours, theirs, input }),
    ...rewrites({ now, ours, theirs }, merged),
  ]
  refuseObstacles(root, outcomes, now)
  return {
    now,
    old,
    base,
    theirs,
    ours,
    codemods,
    outcomes: sorted(outcomes.filter((one) => isChange(one, now))),
  }
}

function renamesBetween(
  { folder }: Store,
  { base, theirs }: { base: string; theirs: string },
  ours: Tree,
): Map<string, string> {
  const flags = ['-r', '-z', '-M50%', '-l0', '--diff-filter=R', '--name-status']
  // Git could report a fixture with similar content as the new path of a file.
  const words = ['diff-tree', ...flags, base, theirs, '--', ':(exclude)app/framework/test/fixtures']
  const parts = gitText(words, { cwd: folder }).split('\0').filter(Boolean)
  const renames = new Map<string, string>()
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [score = '', from = '', to = ''] = parts.slice(at, at + 3)
    // If the developer deleted the file, the file at the new path is omitted only if it has nearly the same content.
    if (ours.has(from) || Number(score.slice(1)) >= 80) renames.set(from, to)
  }
  return renames
}

/** Replaces the lockfile if the application has not changed it. Otherwise, npm updates the lockfile of the application. */
function lockOutcome({ base, ours, theirs }: Pick<UpgradePlan, 'base' | 'ours' | 'theirs'>): Outcome[] {
  const [old, own, fresh] = [base, ours, theirs].map((tree) => tree.get(LOCKFILE))
  if (own === undefined || fresh === undefined || old === undefined || !sameContent(own, old)) return []
  return [{ path: LOCKFILE, verb: 'replace', after: fresh }]
}

/** Returns the outcome for package.json, with the new origin of the application's files. */
function stamped(
  merged: readonly Outcome[],
  { root, ours, theirs, input }: Pick<UpgradePlan, 'ours' | 'theirs'> & { root: string; input: Stamp },
): Outcome {
  const path = 'package.json'
  const outcome = merged.find((one) => one.path === path) ?? { path, verb: 'replace' as const, after: null }
  const blob = outcome.after ?? ours.get(path) ?? theirs.get(path)
  const fresh = theirs.get(path)
  if (blob === undefined || fresh === undefined) throw new Error('A package.json is missing')
  const record = JSON.parse(textOf(blob) ?? '{}') as Record<string, unknown>
  const { version, pergola } = JSON.parse(textOf(fresh) ?? '{}') as Record<string, unknown>
  const shipped = (pergola ?? {}) as Origin
  const from = originOf(root).from ?? shipped.from ?? publicPlace(input.from)
  const origin = {
    version: shipped.version ?? version,
    commit: input.isSnapshot ? shipped.commit : input.theirs,
    ...(from !== null && { from }),
  }
  const before = textOf(ours.get(path) ?? blob) ?? ''
  const [, indent = '  '] = /^([ \t]+)"/m.exec(before) ?? []
  const known = record['pergola'] ?? {}
  const text = JSON.stringify({ ...record, pergola: { ...known, ...origin } }, null, indent)
  return { ...outcome, after: withText(blob, asIn(before, `${text}\n`)) }
}

type Stamp = Pick<PlanInput, 'theirs' | 'from' | 'isSnapshot'>

/** Returns the files that only the codemods change. */
function rewrites(
  { now, ours, theirs }: Pick<UpgradePlan, 'now' | 'ours' | 'theirs'>,
  merged: readonly Outcome[],
): Outcome[] {
  const known = new Set(merged.map(({ path }) => path))
  return [...ours].flatMap(([path, after]) => {
    if (now.get(path) === after || known.has(path)) return []
    const fresh = theirs.get(path)
    const verb = fresh !== undefined && sameContent(fresh, after) ? 'replace' : 'rewrite'
    return [{ path, verb, after } as const]
  })
}

const sorted = (outcomes: readonly Outcome[]): Outcome[] =>
  outcomes.toSorted((one, other) => (one.path < other.path ? -1 : 1))

/** Returns whether the outcome changes the file or requires a decision. */
function isChange({ path, after, decision }: Outcome, now: Tree): boolean {
  const before = now.get(path)
  if (decision !== undefined || after === null || before === undefined) return true
  return !after.bytes.equals(before.bytes) || after.executable !== before.executable
}
