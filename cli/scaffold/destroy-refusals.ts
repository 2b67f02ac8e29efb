import { Exit, EXIT } from '../exit.ts'
import { firstLines } from '../first-lines.ts'
import type { Names } from './read/names.ts'

interface Obstacles {
  /** Resources and files that need the resource. */
  readonly dependents: readonly string[]
  /** The companions that only `--force` removes. */
  readonly companions: readonly string[]
  /** The companions that git can't restore. */
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
  [`Other code depends on ${resource}:`, ...firstLines(dependents), 'Destroy or change it first.'].join('\n')

// Lists all of these files, because --force deletes them.
const hasCompanions = ({ resource }: Names, companions: readonly string[]): string =>
  [
    `These files of ${resource} were not generated:`,
    ...companions.map(indented),
    'Use --force to remove them too.',
  ].join('\n')

const notCommitted = ({ resource }: Names, companions: readonly string[]): string =>
  [
    `These files of ${resource} were not generated, and git can't restore them, because they are not committed:`,
    ...companions.map(indented),
    `Commit them first (with git add --force if git ignores them), or move them out of the folders of ${resource}.`,
  ].join('\n')

const indented = (line: string): string => `  ${line}`
