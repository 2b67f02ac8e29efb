import type { AddOn } from './add-on.ts'
import { FOLDER } from './add-on.ts'
import { linesOf } from '../project/file-text.ts'
import { filesInWords } from '../scaffold/scaffold-report.ts'
import type { Change } from './add-on-steps.ts'

/** Returns what exists, what is added, and what it costs. */
export function listInWords(all: readonly AddOn[], added: readonly string[]): string {
  const widest = Math.max(...all.map(({ name }) => name.length))
  return [
    ...all.flatMap((addOn) => [
      `${added.includes(addOn.name) ? '*' : ' '} ${addOn.name.padEnd(widest)}  ${addOn.description}`,
      `  ${' '.repeat(widest)}  ${costOf(addOn)}`,
    ]),
    '',
    `* is added. ${FOLDER}/<name>/README.md describes each.`,
  ].join('\n')
}

function costOf({ files, packages, needs, cost }: AddOn): string {
  const lines = [...files.values()].reduce((sum, text) => sum + linesOf(text), 0)
  const names = Object.keys(packages)
  return [
    `${files.size} ${files.size === 1 ? 'file' : 'files'}, ${lines} lines`,
    names.length === 0 ? 'no packages' : names.join(', '),
    cost,
    ...(needs.length > 0 ? [`needs ${needs.join(', ')}`] : []),
  ].join('; ')
}

export function changeInWords({ verb, addOn, steps }: Change, isDry: boolean): string {
  const kept = steps.filter((step) => step.verb === 'keep')
  const byHand = kept.flatMap(({ path, byHand }) =>
    byHand === undefined ? [] : [`${path}:\n${byHand.trimEnd()}`],
  )
  const edited = kept.filter(({ byHand }) => byHand === undefined).map(({ path }) => path)
  return [
    `${addOn.name} -> ${isDry ? 'dry run: no files were written' : verb}`,
    ...filesInWords(steps),
    ...(edited.length > 0 ? [WHY_KEPT[verb], ...edited.map((path) => `  ${path}`)] : []),
    ...(byHand.length > 0
      ? [verb === 'added' ? 'Make these edits by hand:' : 'Undo these edits by hand:', ...byHand]
      : []),
    ...(verb === 'added' && !isDry ? [`Next: read ${FOLDER}/${addOn.name}/README.md`] : []),
  ].join('\n')
}

const WHY_KEPT = {
  added: 'These files exist already. Move them, and run the command again:',
  removed: 'These files were edited and kept. --force removes them:',
}
