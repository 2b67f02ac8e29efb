import { sameContent, type Tree } from './tree.ts'

/**
 * Returns a step for each view of the application that overrides a view of the framework, if the new version changes
 * that view.
 */
export function overridesToCompare({
  base,
  ours,
  theirs,
}: Readonly<Record<'base' | 'ours' | 'theirs', Tree>>): string[] {
  return [...ours.keys()].flatMap((path) => {
    // Files that Pergola itself has in views/ are merged instead.
    if (!path.startsWith('views/') || theirs.has(path)) return []
    const original = `app/framework/${path}`
    const [old, fresh] = [base.get(original), theirs.get(original)]
    if (old === undefined || fresh === undefined || sameContent(old, fresh)) return []
    return [`Compare ${path} with ${original}, which it overrides: the new version changes the original.`]
  })
}
