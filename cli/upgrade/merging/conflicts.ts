import { unix } from '../../project/file-text.ts'
import { mergeJson } from './merge-json.ts'

/** Lines that both sides changed. Each text contains its line ends. */
export interface Conflict {
  readonly ours: string
  readonly base: string
  readonly theirs: string
}

export const LABELS = ['yours', 'the old version', 'the new version'] as const

const CONFLICT =
  /^<<<<<<< yours\n([\s\S]*?)^\|{7} the old version\n([\s\S]*?)^=======\n([\s\S]*?)^>>>>>>> the new version\n/gm

/** Returns the two versions of a file as one conflict. */
export function conflictOf(texts: Conflict): string {
  const [ours, base, theirs] = [texts.ours, texts.base, texts.theirs].map((text) =>
    unix(text).replace(/\n?$/, '\n'),
  )
  const [yours, old, fresh] = LABELS
  return `<<<<<<< ${yours}\n${ours}||||||| ${old}\n${base}=======\n${theirs}>>>>>>> ${fresh}\n`
}

/**
 * Replaces the conflicts in the output of `git merge-file --diff3`. Leaves a conflict unchanged if `resolve` returns
 * null.
 */
export const resolveConflicts = (marked: string, resolve: (conflict: Conflict) => string | null): string =>
  marked.replaceAll(
    CONFLICT,
    (whole: string, ours: string, base: string, theirs: string) => resolve({ ours, base, theirs }) ?? whole,
  )

export const hasConflicts = (marked: string): boolean => marked.search(CONFLICT) !== -1

/** Merges two changes that git reports as a conflict although they are independent. Returns null for other conflicts. */
export const mergedAnyway = (conflict: Conflict): string | null =>
  besideRemoved(conflict) ?? mergedImports(conflict) ?? mergedList(conflict)

/** Merges the changes if one side removes lines and the other only adds lines before or after them. */
function besideRemoved({ ours, base, theirs }: Conflict): string | null {
  const [kept, removed] = ours === '' ? [theirs, ours] : [ours, theirs]
  if (removed !== '' || base === '') return null
  const at = `\n${kept}`.indexOf(`\n${base}`)
  return at === -1 ? null : kept.slice(0, at) + kept.slice(at + base.length)
}

const linesOf = (text: string): string[] => text.split('\n').slice(0, -1)

const IMPORT = /^import (?:type )?[\w*{][^'"]* from ['"][^'"]+['"];?$/

/** Merges import lines as a set, because their order has no effect. */
function mergedImports({ ours, base, theirs }: Conflict): string | null {
  const [own, old, fresh] = [linesOf(ours), linesOf(base), linesOf(theirs)]
  if (![...own, ...old, ...fresh].every((line) => IMPORT.test(line))) return null
  const merged = mergedSet({ ours: own, base: old, theirs: fresh })
  return merged === null ? null : merged.map((line) => `${line}\n`).join('')
}

/** `const tables = [a, b]` or `import { a, b } from 'x'`, on one line or several. */
const LIST =
  /^(\s*(?:import (?:type )?\{|(?:export )?const \w+(?:: [^=]+)? = \[|return \[|\w+: \[))([^'"`]*?),?\s*(\],?|\} from ['"][^'"]+['"])\s*$/

/** Merges a list by element, because one side may have wrapped its lines. Writes one element per line for the formatter. */
function mergedList({ ours, base, theirs }: Conflict): string | null {
  const [own, old, fresh] = [ours, base, theirs].map((text) => LIST.exec(text))
  if (!own || !old || !fresh) return null
  const isSame = [old, fresh].every((list) => list[1] === own[1] && list[3] === own[3])
  const [mine, before, after] = [own, old, fresh].map((list) => elementsOf(list[2] ?? ''))
  const merged =
    isSame && mine && before && after ? mergedSet({ ours: mine, base: before, theirs: after }) : null
  return merged === null ? null : `${own[1]}\n${merged.map((element) => `${element},\n`).join('')}${own[3]}\n`
}

/** Returns the elements of a list; null if it contains a comment. */
function elementsOf(text: string): string[] | null {
  if (/\/[/*]/.test(text)) return null
  const elements = ['']
  let depth = 0
  for (const character of text.replaceAll(/\s+/g, ' ')) {
    if ('([{'.includes(character)) depth += 1
    if (')]}'.includes(character)) depth -= 1
    if (character === ',' && depth === 0) elements.push('')
    else elements.push(`${elements.pop()}${character}`)
  }
  return elements.map((element) => element.trim()).filter((element) => element !== '')
}

function mergedSet(lists: Record<keyof Conflict, string[]>): string[] | null {
  const { value, conflicts } = mergeJson(lists)
  return conflicts.length === 0 && Array.isArray(value) ? (value as string[]) : null
}
