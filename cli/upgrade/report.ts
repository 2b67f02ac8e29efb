import { createTwoFilesPatch } from 'diff'
import { unix } from '../project/file-text.ts'
import { newsBetween } from './changelog.ts'
import type { Outcome, Verb } from './merge.ts'
import type { UpgradePlan } from './plan.ts'
import { textOf, type Tree } from './tree.ts'

export interface Named {
  readonly version: string
  readonly commit: string
}

export const inWords = ({ version, commit }: Named): string => `${version} (${commit.slice(0, 9)})`

export const decisionsIn = (outcomes: readonly Outcome[]): Outcome[] =>
  outcomes.filter(({ decision }) => decision !== undefined)

const VERBS: Record<Verb, (count: number) => string> = {
  add: (count) => `${files(count)} added`,
  move: (count) => `${files(count)} moved`,
  replace: (count) => `${files(count)} replaced`,
  remove: (count) => `${files(count)} removed`,
  merge: (count) => `${files(count)} with your edits merged`,
  rewrite: (count) => `${count} of your files adapted to renamed modules`,
  keep: (count) => `${files(count)} unchanged`,
}

const NAMED: ReadonlySet<string> = new Set<Verb>(['merge', 'rewrite', 'keep', 'remove'])

const files = (count: number): string => (count === 1 ? '1 file' : `${count} files`)

/** Describes the outcomes. Lists removed files and the files that the developer wrote or edited, and counts the others. */
export function outcomesInWords(outcomes: readonly Outcome[]): string[] {
  // A file that moves is removed at its old path.
  const sources = new Set(outcomes.map(({ movedFrom }) => movedFrom))
  return Object.entries(VERBS).flatMap(([verb, counted]) => {
    const own = outcomes.filter((one) => one.verb === verb && !(verb === 'remove' && sources.has(one.path)))
    if (own.length === 0) return []
    const isNamed = NAMED.has(verb)
    return [`${counted(own.length)}${isNamed ? ':' : ''}`, ...(isNamed ? own.map(nameOf) : [])]
  })
}

const nameOf = ({ path, movedFrom }: Outcome): string =>
  movedFrom === undefined ? `  ${path}` : `  ${path} (was ${movedFrom})`

/** Returns the new entries of the changelog, the next steps, and the conflicts. */
export function closingWords(
  { base, theirs, outcomes }: Pick<UpgradePlan, 'base' | 'theirs' | 'outcomes'>,
  next: readonly string[],
): string {
  const { entries, steps } = newsBetween(base, theirs)
  const decisions = decisionsIn(outcomes)
  // Omits the step to migrate if the changelog also contains it.
  const own = next.filter((step) => !step.includes(MIGRATE) || steps.every((one) => !one.includes(MIGRATE)))
  return [
    ...section('New since your version:', entries),
    ...section('Next steps:', [...new Set([...steps, ...own])].map(bulleted)),
    ...section(
      `Conflicts to resolve (${decisions.length}):`,
      decisions.map(({ path, decision }) => `  ${path}: ${decision}`),
    ),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

const MIGRATE = 'npx cli db migrate'

const bulleted = (line: string): string => `- ${line}`

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines, '']

/** Returns the diff of each file. */
export function diffsOf(outcomes: readonly Outcome[], now: Tree): string {
  return outcomes
    .flatMap(({ path, after, movedFrom }) => {
      const before = now.get(path) ?? now.get(movedFrom ?? '')
      const [from, to] = [before, after].map((blob) => (blob ? textOf(blob) : ''))
      if (typeof from !== 'string' || typeof to !== 'string') return [`Binary file ${path} differs`]
      if (unix(from) === unix(to)) return []
      const [old, fresh] = [
        before ? `a/${movedFrom ?? path}` : '/dev/null',
        after ? `b/${path}` : '/dev/null',
      ]
      const patch = createTwoFilesPatch(old, fresh, unix(from), unix(to), '', '')
      return [patch.replace(/^=+\n/, '').trimEnd()]
    })
    .join('\n')
}
