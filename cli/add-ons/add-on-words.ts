import { linesOf } from '../project/file-text.ts'
import { filesInWords } from '../scaffold/scaffold-report.ts'
import { isMigration } from '../scaffold/project/record.ts'
import { type AddOn, FOLDER } from './add-on.ts'
import type { Change } from './add-on-steps.ts'

/** Returns the add-ons with their costs. */
export function listInWords(all: readonly AddOn[], added: readonly string[]): string {
  const widest = Math.max(...all.map(({ name }) => name.length))
  return [
    ...all.flatMap((addOn) => [
      `${added.includes(addOn.name) ? '*' : ' '} ${addOn.name.padEnd(widest)}  ${addOn.description}`,
      `  ${' '.repeat(widest)}  ${costOf(addOn)}`,
    ]),
    '',
    `${added.length > 0 ? '* is added. ' : ''}${FOLDER}/<name>/README.md describes each.`,
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

export function changeInWords({ verb, addOn: { name }, steps }: Change, isDry: boolean): string {
  const kept = steps.filter((step) => step.verb === 'keep').map(({ path }) => `  ${path}`)
  return [
    `${name} -> ${isDry ? 'dry run: no files were written' : kept.length > 0 ? `${verb} in part` : verb}`,
    ...filesInWords(steps),
    ...(kept.length > 0
      ? [verb === 'added' ? `${KEPT} Compare them with ${FOLDER}/${name}/files:` : REMAIN, ...kept]
      : []),
    ...(verb === 'added' && !isDry && steps.some(({ path }) => isMigration(path))
      ? ['Next: npx cli db migrate']
      : []),
    ...(verb === 'added' && !isDry ? [`Next: read ${FOLDER}/${name}/README.md`] : []),
  ].join('\n')
}

const KEPT = 'These files exist already, and were kept.'
const REMAIN =
  'These files were edited, and were kept. Delete them and run the command again, or run it with --force:'

/** Returns the message about edits that don't fit their files. */
export function byHandInWords({ verb, byHand }: Change): string {
  const task = verb === 'added' ? 'Make' : 'Undo'
  return [
    `These edits don’t fit your files. ${task} them by hand, then run the command again. No files were written.`,
    ...[...byHand].map(([path, diff]) => `${path}:\n${diff.trimEnd()}`),
  ].join('\n\n')
}
