import { sameContent, type Tree } from './tree.ts'

/** A step for each file in views/ that overrides one of the framework which the new version changes. */
export function overridesToCompare({
  base,
  ours,
  theirs,
}: Readonly<Record<'base' | 'ours' | 'theirs', Tree>>): string[] {
  return [...ours.keys()].flatMap((path) => {
    // What Pergola itself has in views/ is merged.
    if (!path.startsWith('views/') || theirs.has(path)) return []
    const original = `app/framework/${path}`
    const [old, fresh] = [base.get(original), theirs.get(original)]
    if (old === undefined || fresh === undefined || sameContent(old, fresh)) return []
    return [`Compare ${path} with ${original}, which it overrides: the new version changes that.`]
  })
}
