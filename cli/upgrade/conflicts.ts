/** A place where both sides changed the same lines; each text has its line ends. */
interface Conflict {
  readonly ours: string
  readonly base: string
  readonly theirs: string
}

export const LABELS = ['yours', 'the old version', 'the new version'] as const

const CONFLICT =
  /^<<<<<<< yours\n([\s\S]*?)^\|{7} the old version\n([\s\S]*?)^=======\n([\s\S]*?)^>>>>>>> the new version\n/gm

/** A text that `git merge-file --diff3` has marked, with other text for its conflicts; null leaves one as it is. */
export const resolveConflicts = (marked: string, resolve: (conflict: Conflict) => string | null): string =>
  marked.replaceAll(
    CONFLICT,
    (whole: string, ours: string, base: string, theirs: string) => resolve({ ours, base, theirs }) ?? whole,
  )

export const hasConflicts = (marked: string): boolean => marked.search(CONFLICT) !== -1

/** Import lines are a set, so that a line beside a removed one is no conflict; null for other lines. */
export function mergedImports({ ours, base, theirs }: Conflict): string | null {
  const [own, old, fresh] = [linesOf(ours), linesOf(base), linesOf(theirs)]
  if (![...own, ...old, ...fresh].every((line) => IMPORT.test(line))) return null
  const kept = own.filter((line) => fresh.includes(line) || !old.includes(line))
  const added = fresh.filter((line) => !old.includes(line) && !own.includes(line))
  return [...kept, ...added].map((line) => `${line}\n`).join('')
}

const IMPORT = /^import (?:type )?[\w*{][^'"]* from ['"][^'"]+['"];?$/

const linesOf = (text: string): string[] => text.split('\n').slice(0, -1)
