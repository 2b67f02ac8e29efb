import { Exit, EXIT } from '../exit.ts'
import { firstLines } from '../first-lines.ts'
import type { Names } from './read/names.ts'

interface Obstacles {
  /** Resources and files that need the resource. */
  readonly dependents: readonly string[]
  /** The companions that only `--force` removes. */
  readonly companions: readonly string[]
  /** The companions that git could not restore. */
  readonly uncommitted: readonly string[]
}

/** Throws with one message for all obstacles, if there are any. */
export function refuseToDestroy(names: Names, { dependents, companions, uncommitted }: Obstacles): void {
  const refusals = [
    ...(dependents.length > 0 ? [stillNeeded(names, dependents)] : []),
    ...(companions.length > 0 ? [hasCompanions(names, companions)] : []),
    ...(uncommitted.length > 0 ? [notCommitted(names, uncommitted)] : []),
  ]
  if (refusals.length > 0) throw new Exit(EXIT.conflict, [...refusals, 'No files were written.'].join('\n'))
}

const stillNeeded = ({ resource }: Names, dependents: readonly string[]): string =>
  [`${resource} is still needed:`, ...firstLines(dependents), 'Destroy or change these first.'].join('\n')

// The list is complete, because the user agrees to lose these files.
const hasCompanions = ({ resource }: Names, companions: readonly string[]): string =>
  [`${resource} has companions:`, ...companions.map(indented), '--force removes them too.'].join('\n')

const notCommitted = ({ resource }: Names, companions: readonly string[]): string =>
  [
    `Git couldn't restore these companions of ${resource}, because they are not committed:`,
    ...companions.map(indented),
    'Commit them first (git add --force, if they are ignored), or move them out of its folders.',
  ].join('\n')

const indented = (line: string): string => `  ${line}`
