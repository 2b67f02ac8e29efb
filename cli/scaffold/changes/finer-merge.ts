import { gitMerge, type ThreeTexts } from '../../project/three-way.ts'
import { asIn, unix } from '../../project/file-text.ts'
import { formatted } from '../code/render-template.ts'
import type { Step } from '../step.ts'

/** A step for an edited file, and whether an edit is at the place of a change. */
export interface MergedStep {
  readonly step: Step
  readonly hasConflict: boolean
}

/**
 * Merges a change into an edited file word by word, after a merge of lines failed. Where both changed the same words, the edit
 * stays. Formats the result if the edited file was formatted. If the result can't be formatted, the file is kept.
 */
export async function finerMerge(step: Step): Promise<MergedStep> {
  const { path, verb, before: edited, generated: incoming, base } = step
  if (edited === null || (verb !== 'merge' && verb !== 'keep')) return { step, hasConflict: false }
  const isMerged = verb === 'merge' || base === undefined
  const words = isMerged ? { text: step.after ?? '', conflicts: 0 } : mergedWords({ base, edited, incoming })
  const after = await likeBefore(path, edited, words.text)
  if (after === null || (verb === 'keep' && base === undefined)) return { step, hasConflict: true }
  return { step: { ...step, verb: 'merge', after }, hasConflict: words.conflicts > 0 }
}

async function likeBefore(path: string, edited: string, text: string): Promise<string | null> {
  if (path.endsWith('.eta')) return text
  const format = async (text: string) => (await formatted({ path, text: unix(text) })).text
  try {
    const isFormatted = (await format(edited)) === unix(edited)
    const after = await format(text)
    return isFormatted ? asIn(edited, after) : text
  } catch {
    return null
  }
}

/** Returns the merged text, and the number of conflicts, in which `edited` won. */
function mergedWords({ base, edited, incoming }: ThreeTexts): { text: string; conflicts: number } {
  const texts = { base: onLines(base), edited: onLines(edited), incoming: onLines(incoming) }
  const { conflicts } = gitMerge(texts)
  const { text } = conflicts === 0 ? gitMerge(texts) : gitMerge(texts, ['--ours'])
  return { text: asIn(edited, joined(text)), conflicts }
}

const WORDS = /\w+|\s+|[^\w\s]/gu
const LINE_END = '\u0001'
/** Git reports a conflict if two changes are on adjacent lines. A line between them prevents it. */
const SPACE = '\u001F'

/** Returns a line for each word, for the spaces between words, and for each other character. */
const onLines = (text: string): string =>
  (unix(text).match(WORDS) ?? []).map((word) => `${word.replaceAll('\n', LINE_END)}\n${SPACE}\n`).join('')

const joined = (lines: string): string =>
  lines
    .split('\n')
    .filter((line) => line !== SPACE)
    .join('')
    .replaceAll(LINE_END, '\n')
