import { join } from 'node:path'
import { check, format, resolveConfig } from 'prettier'
import { asIn, sameText } from '../../project/file-text.ts'
import { gitMerge, mergeOf } from '../../project/three-way.ts'
import { formatted } from '../../scaffold/code/render-template.ts'
import { RESOURCE_LIST } from '../../scaffold/project/resource-list.ts'
import { conflictOf, hasConflicts, LABELS, mergedAnyway, resolveConflicts } from './conflicts.ts'
import { mergeJson } from './merge-json.ts'
import { mergedResourceList } from './merge-resource-list.ts'
import { mergeToml } from './merge-toml.ts'
import { isValidCode } from './valid-code.ts'
import { textOf } from '../tree.ts'

/** How a file is merged that git alone can't merge. */
export interface Resolution {
  /** Null for a file that is removed. */
  readonly after: string | Buffer | null
  /** The conflict that the developer must resolve, as a sentence. */
  readonly decision?: string
  /** A second file with the changes of the new version that were not merged. */
  readonly beside?: { readonly path: string; readonly content: string | Buffer }
}

interface Contents {
  /** Null for a file that both sides added. */
  readonly base: Buffer | null
  readonly ours: Buffer
  /** Null for a file that the new version removes. */
  readonly theirs: Buffer | null
}

/** Merges a file that both sides changed. If both changed the same lines, keeps those of the application. */
export async function resolve(path: string, contents: Contents, markers: boolean): Promise<Resolution> {
  const { base: old, ours: own, theirs: fresh } = contents
  const [base, ours] = [old === null ? '' : textOf(old), textOf(own)]
  if (base && ours !== null && !path.endsWith('.json') && isReplaced(base, ours) && isConflict(contents))
    return { after: own }
  if (fresh === null) {
    if (ours !== null && sameText(base, ours)) return { after: null }
    return {
      after: own,
      decision: 'the new version removes this file, but you edited it. Delete it if you no longer need it.',
    }
  }
  const theirs = textOf(fresh)
  if (base === null || ours === null || theirs === null) return besideBinary(path, own, fresh)
  return (
    (path.endsWith('.json') ? await mergedJson(path, { base, ours, theirs }) : null) ??
    (path.endsWith('.toml') ? mergedToml({ base, ours, theirs }) : null) ??
    (await mergedText(path, { base, ours, theirs }, markers))
  )
}

/** Returns whether the application replaced the whole text, such as that of the README. */
const isReplaced = (base: string, ours: string): boolean =>
  longLines(base).size > 0 && longLines(base).isDisjointFrom(longLines(ours))

/** Git merges a change that touches no line of the application's. */
const isConflict = ({ base, ours, theirs }: Contents): boolean =>
  theirs === null ||
  mergeOf({ base: String(base ?? ''), edited: String(ours), incoming: String(theirs) }) === null

// Two texts can have a heading or a brace in common.
const longLines = (text: string) => new Set(text.split(/\r?\n/).filter((line) => line.length > 15))

const besideBinary = (path: string, after: Buffer, content: Buffer): Resolution => ({
  after,
  decision: `you and the new version both changed this file; yours was kept. Compare it with ${path}.theirs, then delete ${path}.theirs.`,
  beside: { path: `${path}.theirs`, content },
})

type Texts = Readonly<Record<'base' | 'ours' | 'theirs', string>>

async function mergedText(path: string, texts: Texts, markers: boolean): Promise<Resolution> {
  const { base, ours, theirs } = texts
  const three = { base, edited: ours, incoming: theirs }
  const isUsable = (text: string) => isValidCode(path, text) || !isValidCode(path, ours)
  const clean = (path === RESOURCE_LIST ? mergedResourceList(texts) : null) ?? mergeOf(three)
  if (clean !== null && isUsable(clean)) return { after: clean }
  const labels = LABELS.flatMap((label) => ['-L', label])
  const marked = resolveConflicts(gitMerge(three, ['--diff3', ...labels]).text, mergedAnyway)
  const isMerged = !hasConflicts(marked)
  if (isMerged && isUsable(marked)) return { after: asIn(ours, await formattedLike(path, ours, marked)) }
  // Without a conflict of lines, both changes together are not valid code.
  const shown = isMerged ? conflictOf(texts) : marked
  if (markers) {
    const decision =
      'you and the new version changed the same lines. Resolve the conflict markers in the file.'
    return { after: asIn(ours, shown), decision }
  }
  const lines = resolveConflicts(marked, (conflict) => conflict.ours)
  const [after, kept] = isUsable(lines)
    ? [asIn(ours, lines), 'yours were kept']
    : [ours, 'your whole file was kept, since a part of the changes is not valid code']
  const problem = isMerged
    ? 'both changes together are not valid code'
    : 'you and the new version changed the same lines'
  return {
    after,
    decision: `${problem}; ${kept}. Resolve the conflicts shown in ${path}.conflict, then delete ${path}.conflict.`,
    beside: { path: `${path}.conflict`, content: shown },
  }
}

/** Formats the merged code if the code of the application was formatted. */
async function formattedLike(path: string, before: string, after: string): Promise<string> {
  // The folder with the Prettier settings of this command line.
  const filepath = join(import.meta.dirname, '../../..', path)
  const config = { ...(await resolveConfig(filepath, { editorconfig: true })), filepath }
  try {
    return (await check(before, config)) ? await format(after, config) : after
  } catch {
    // Prettier can't parse the file, so it was not formatted either.
    return after
  }
}

const REVIEW =
  'Run `npx cli routes audit --write` after the other conflicts and the next steps, and review the changes.'

/** Merges JSON by key. Returns null for JSON with comments, which is merged by line instead. */
async function mergedJson(path: string, texts: Texts): Promise<Resolution | null> {
  const sides = parsed(texts)
  if (sides === null) return null
  const { value, conflicts } = mergeJson(sides)
  const plain = `${JSON.stringify(value, null, 2)}\n`
  const isGenerated = path === 'security.manifest.json'
  const after = asIn(texts.ours, isGenerated ? plain : (await formatted({ path, text: plain })).text)
  const open = conflicts.filter((key) => !isOwn(path, key))
  return withDecision(after, open, isGenerated ? REVIEW : null)
}

/** Merges TOML by setting. Returns null for a text that can't be merged so. */
function mergedToml(texts: Texts): Resolution | null {
  const merged = mergeToml(texts)
  if (merged === null || !isValidCode('.toml', merged.text)) return null
  return withDecision(asIn(texts.ours, merged.text), merged.conflicts)
}

function withDecision(after: string, keys: readonly string[], review: string | null = null): Resolution {
  if (keys.length === 0) return { after }
  const [kept, check] =
    keys.length === 1 ? ['your value was kept', 'Check it.'] : ['your values were kept', 'Check them.']
  const decision = `you and the new version both changed ${keys.join(', ')}; ${kept}. ${review ?? check}`
  return { after, decision }
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

/**
 * Returns whether the developer need not decide: the value belongs to the application, or the upgrade replaces it
 * anyway.
 */
function isOwn(path: string, key: string): boolean {
  if (path === 'package.json') return /^(?:name|version|description|pergola)\b/.test(key)
  return path.endsWith('/scaffold.json') && key.startsWith('files.')
}
