import { asIn } from '../../project/file-text.ts'
import {
  insertSorted,
  type List,
  parseList,
  pathOf,
  repositoryOf,
  writtenList,
} from '../../scaffold/project/resource-list.ts'

/**
 * Merges the entries that both sides added, changed or removed since `base`. Returns null if both changed the same entry,
 * or if one of the texts has another structure.
 */
export function mergedResourceList(sides: { base: string; ours: string; theirs: string }): string | null {
  const [base, ours, theirs] = [parseList(sides.base), parseList(sides.ours), parseList(sides.theirs)]
  if (base === null || ours === null || theirs === null) return null
  if (ours.middle + ours.end !== base.middle + base.end) return null
  const [old, own] = [byName(base), byName(ours)]
  const entries = new Map(byName(theirs))
  for (const name of new Set([...old.keys(), ...own.keys()])) {
    const [before, mine] = [old.get(name), own.get(name)]
    if (before === mine) continue
    if (entries.get(name) !== before && entries.get(name) !== mine && mine !== undefined) return null
    if (mine === undefined) entries.delete(name)
    else entries.set(name, mine)
  }
  const imports = theirs.imports.filter((line) => !base.imports.includes(line) || ours.imports.includes(line))
  const added = ours.imports.filter((line) => !base.imports.includes(line) && !imports.includes(line))
  for (const line of added) insertSorted(imports, line, pathOf)
  const sorted: string[] = []
  for (const entry of entries.values()) insertSorted(sorted, entry, repositoryOf)
  const code = theirs.middle + sorted.join('') + theirs.end
  return asIn(
    sides.ours,
    writtenList({ ...theirs, imports: imports.filter(isUsedIn(code)), entries: sorted }),
  )
}

const byName = ({ entries }: List): Map<string, string> =>
  new Map(entries.map((entry) => [repositoryOf(entry), entry]))

/** Returns whether the code uses a name of an import line. The imports of a removed entry are not used. */
const isUsedIn = (code: string) => (line: string) => {
  const names = /\{([^}]*)\}/.exec(line)?.[1]?.match(/\w+/g) ?? []
  return names.length === 0 || names.some((name) => new RegExp(`\\b${name}\\b`).test(code))
}
