import { asIn, unix } from '../../project/file-text.ts'
import { canBeWrittenBack, gitMerge, type ThreeTexts } from '../../project/three-way.ts'
import { formatted } from '../code/render-template.ts'
import type { Step } from '../step.ts'

/** A step for an edited file, and whether an edit was at the place of the change, which it won. */
export interface MergedStep {
  readonly step: Step
  readonly hasConflict: boolean
}

/**
 * Merges other names into an edited file word by word, if a merge of lines failed. Where both changed a word, the edit stays.
 * Formats the file if it was formatted. Keeps it if the result would be invalid, and for a change of more than names: a part
 * of an expression could be lost, such as that of an access rule.
 */
export async function finerMerge(step: Step): Promise<MergedStep> {
  const { path, before: edited, generated: incoming, base } = step
  const none = { step, hasConflict: false }
  if (edited === null) return none
  if (step.verb === 'merge') {
    const after = await likeBefore(path, edited, step.after ?? '')
    return after === null ? none : { step: { ...step, after }, hasConflict: false }
  }
  if (step.verb !== 'keep' || base === undefined || !canBeWrittenBack(edited)) return none
  if (withoutWords(base) !== withoutWords(incoming)) return none
  const merged = mergeOfWords({ base, edited, incoming })
  const after = merged && (await likeBefore(path, edited, merged.text))
  return after ? { step: { ...step, verb: 'merge', after }, hasConflict: merged.conflicts > 0 } : none
}

/** A longer name can break a line, with a comma at its end. Names of files and folders have hyphens. */
const withoutWords = (text: string): string => text.replaceAll(/(?<=\w)-(?=\w)|[\w\s,]/g, '')

/** Returns the text, formatted if the edited one was. Null if it is invalid. */
export async function likeBefore(path: string, edited: string, text: string): Promise<string | null> {
  if (path.endsWith('.eta')) return text
  const format = async (code: string) => (await formatted({ path, text: unix(code) })).text
  try {
    const after = await format(text)
    return (await format(edited)) === unix(edited) ? asIn(edited, after) : text
  } catch {
    return null
  }
}

/** Returns the merged text, and the number of conflicts, in which `edited` won. Null without git. */
function mergeOfWords({ base, edited, incoming }: ThreeTexts): { text: string; conflicts: number } | null {
  const texts = { base: onLines(base), edited: onLines(edited), incoming: onLines(incoming) }
  try {
    const { conflicts } = gitMerge(texts)
    return { text: asIn(edited, joined(gitMerge(texts, ['--ours']).text)), conflicts }
  } catch {
    return null
  }
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
