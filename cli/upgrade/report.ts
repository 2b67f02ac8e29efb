import type { News } from './changelog.ts'
import type { Outcome, Verb } from './plan.ts'
import { isSame, type Sides } from './tree.ts'

export const decisionsIn = (outcomes: readonly Outcome[]): Outcome[] =>
  outcomes.filter(({ decision }) => decision !== undefined)

const VERBS: Record<Verb, string> = {
  add: 'added',
  move: 'moved',
  replace: 'replaced',
  remove: 'removed',
  merge: 'with your edits merged',
  keep: 'unchanged',
}

/** Describes the outcomes. Lists removed files and the files that the developer edited, and counts the others. */
export function outcomesInWords(outcomes: readonly Outcome[]): string[] {
  return Object.entries(VERBS).flatMap(([verb, done]) => {
    const own = outcomes.filter((one) => one.verb === verb)
    if (own.length === 0) return []
    const count = `${own.length === 1 ? '1 file' : `${own.length} files`} ${done}`
    return ['remove', 'merge', 'keep'].includes(verb) ? [`${count}:`, ...own.map(nameOf)] : [count]
  })
}

const nameOf = ({ path, movedFrom }: Outcome): string =>
  movedFrom === undefined ? `  ${path}` : `  ${path} (was ${movedFrom})`

/** The changes of an upgrade, or those that a dry run would make. */
export interface Result {
  /** The versions in words: `0.2.0 (3f0c12345)`. */
  readonly from: string
  readonly to: string
  readonly outcomes: readonly Outcome[]
  readonly news: News
  /** Steps for this application, besides those of the changelog. */
  readonly next: readonly string[]
  /** The changed lines, with `--diff`. */
  readonly diff: string | null
  readonly isDry: boolean
}

/** Returns the result for `--json`. */
export const asJson = ({ from, to, outcomes, news, next, diff, isDry }: Result) => ({
  from,
  to,
  files: outcomes,
  news: news.entries,
  steps: stepsOf(news, next),
  ...(diff !== null && { diff }),
  dryRun: isDry,
})

/** Returns the changed files, the new entries of the changelog, the next steps, and the conflicts. */
export function resultInWords({ from, to, outcomes, news, next, diff, isDry }: Result): string {
  const decisions = decisionsIn(outcomes)
  return [
    `${from} -> ${to}`,
    ...outcomesInWords(outcomes),
    '',
    ...(diff === null ? [] : [diff]),
    ...section('New since your version:', news.entries),
    ...section(
      'Next steps:',
      stepsOf(news, next).map((step) => `- ${step}`),
    ),
    ...section(
      `Conflicts to resolve (${decisions.length}):`,
      decisions.map(({ path, decision }) => `  ${path}: ${decision}`),
    ),
    isDry ? 'Dry run: no files were written.' : lastWords(decisions.length),
  ].join('\n')
}

/** Omits the step to migrate if the changelog also contains it. */
function stepsOf({ steps }: News, next: readonly string[]): string[] {
  const own = next.filter((step) => !step.includes(MIGRATE) || steps.every((one) => !one.includes(MIGRATE)))
  return [...new Set([...steps, ...own])]
}

/** Returns the last sentences: the steps after the files are written. */
function lastWords(open: number): string {
  const problem = open === 1 ? 'One conflict remains' : `${open} conflicts remain`
  return [
    open === 0
      ? 'The upgrade is complete. Review it with `git diff --cached`, then'
      : `${problem}. Resolve ${open === 1 ? 'it' : 'them'} as listed above, then review the changes with \`git diff HEAD\`,`,
    'run `npx cli routes audit --write` and `npm test`, and commit.',
  ].join(' ')
}

const MIGRATE = 'npx cli db migrate'

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines, '']

/**
 * Returns a step for each view of the application that overrides a view of the framework, if the new version changes
 * that view.
 */
export const overridesToCompare = ({ base, ours, theirs }: Sides): string[] =>
  [...ours.keys()].flatMap((path) => {
    const original = `app/framework/${path}`
    const [old, fresh] = [base.get(original), theirs.get(original)]
    // Files that Pergola itself has in views/ are merged instead.
    const isOverride = path.startsWith('views/') && !theirs.has(path) && old !== undefined
    if (!isOverride || fresh === undefined || isSame(old, fresh)) return []
    return [`Compare ${path} with ${original}, which it overrides: the new version changes the original.`]
  })
