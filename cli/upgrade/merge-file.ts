import { join } from 'node:path'
import { formatted } from '../scaffold/code/render-template.ts'
import { asIn } from '../project/file-text.ts'
import { mergedResourceList, RESOURCE_LIST } from '../scaffold/project/resource-list.ts'
import { gitMerge, mergeOf } from '../project/three-way.ts'
import { formattedLike } from './codemods.ts'
import { hasConflicts, LABELS, mergedAnyway, resolveConflicts } from './conflicts.ts'
import { mergeJson } from './merge-json.ts'
import type { Outcome } from './merge.ts'
import { type Blob, textOf, withText } from './tree.ts'

// The folder with the Prettier settings of this command line.
const ROOT = join(import.meta.dirname, '../..')

interface Sides {
  /** Null for a file that both sides added. */
  readonly base: Blob | null
  readonly ours: Blob
  readonly theirs: Blob
}

type Merged = Omit<Outcome, 'path'>

/** Merges a file that both sides changed. If both changed the same lines, keeps those of the application. */
export async function mergeFile(path: string, sides: Sides, markers = false): Promise<Merged> {
  const executable = isExecutable(sides)
  const texts = {
    base: sides.base === null ? '' : textOf(sides.base),
    ours: textOf(sides.ours),
    theirs: textOf(sides.theirs),
  }
  const { base, ours, theirs } = texts
  if (base === null || ours === null || theirs === null) return besideBinary(path, sides)
  const finish = (text: string): Blob => ({ ...withText(sides.ours, text), executable })
  const json = path.endsWith('.json') ? await mergedJson(path, { base, ours, theirs }) : null
  if (json !== null) return { verb: 'merge', ...json, after: finish(asIn(ours, json.text)) }
  const list = path === RESOURCE_LIST ? mergedResourceList({ base, ours, theirs }) : null
  if (list !== null) return { verb: 'merge', after: finish(list) }
  const three = { base, edited: ours, incoming: theirs }
  const clean = mergeOf(three)
  if (clean !== null) return { verb: 'merge', after: finish(clean) }
  const labels = LABELS.flatMap((label) => ['-L', label])
  const marked = resolveConflicts(gitMerge(three, ['--diff3', ...labels]).text, mergedAnyway)
  const after = (text: string) => finish(asIn(ours, text))
  if (!hasConflicts(marked))
    return { verb: 'merge', after: after(await formattedLike(join(ROOT, path), ours, marked)) }
  if (markers) {
    const decision =
      'you and the new version changed the same lines. Resolve the conflict markers in the file.'
    return { verb: 'merge', after: after(marked), decision }
  }
  return {
    verb: 'merge',
    after: after(resolveConflicts(marked, (conflict) => conflict.ours)),
    decision: `you and the new version changed the same lines; yours were kept. Resolve the conflicts shown in ${path}.conflict, then delete ${path}.conflict.`,
    beside: { path: `${path}.conflict`, blob: { bytes: Buffer.from(marked), executable: false } },
  }
}

/** Returns the mode of the side that changed it. */
const isExecutable = ({ base, ours, theirs }: Sides): boolean =>
  base !== null && ours.executable === base.executable ? theirs.executable : ours.executable

function besideBinary(path: string, { ours, theirs }: Sides): Merged {
  return {
    verb: 'keep',
    after: ours,
    decision: `you and the new version both changed this file; yours was kept. Compare it with ${path}.theirs, then delete ${path}.theirs.`,
    beside: { path: `${path}.theirs`, blob: theirs },
  }
}

interface Texts {
  readonly base: string
  readonly ours: string
  readonly theirs: string
}

/** Merges JSON by key. Returns null for JSON with comments, which is merged by line instead. */
async function mergedJson(path: string, texts: Texts): Promise<{ text: string; decision?: string } | null> {
  const sides = parsed(texts)
  if (sides === null) return null
  const { value, conflicts } = mergeJson(sides)
  const plain = `${JSON.stringify(value, null, 2)}\n`
  const text = isGenerated(path) ? plain : (await formatted({ path, text: plain })).text
  const open = conflicts.filter((key) => !isOwn(path, key))
  if (open.length === 0) return { text }
  const rest = open.length === 1 ? 'your value was kept. Check it.' : 'your values were kept. Check them.'
  return { text, decision: `you and the new version both changed ${open.join(', ')}; ${rest}` }
}

function parsed({ base, ours, theirs }: Texts): Parameters<typeof mergeJson>[0] | null {
  try {
    return {
      base: base === '' ? undefined : JSON.parse(base),
      ours: JSON.parse(ours),
      theirs: JSON.parse(theirs),
    }
  } catch {
    return null
  }
}

const isGenerated = (path: string): boolean => path === 'security.manifest.json'

/**
 * Returns whether the developer need not decide: the value belongs to the application, or the upgrade replaces it
 * anyway.
 */
function isOwn(path: string, key: string): boolean {
  if (path === 'package.json') return /^(?:name|version|description|pergola)\b/.test(key)
  return path.endsWith('/scaffold.json') && key.startsWith('files.')
}
