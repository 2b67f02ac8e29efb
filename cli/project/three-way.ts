import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git } from './git.ts'
import { asIn, unix } from './file-text.ts'

/** A text and two changed versions of it. */
export interface ThreeTexts {
  readonly base: string
  readonly edited: string
  readonly incoming: string
}

/** Applies the changes of `incoming` to `edited`. Returns null if git fails, and without `flags` if both changed the same lines. */
export function mergeOf(
  { base, edited, incoming }: ThreeTexts,
  ...flags: ('--ours' | '--theirs')[]
): string | null {
  if (!canBeWrittenBack(edited)) return null
  const texts = { base: spaced(base), edited: spaced(edited), incoming: spaced(incoming) }
  try {
    const { text, conflicts } = gitMerge(texts, flags)
    return conflicts === 0 ? asIn(edited, text.replaceAll(SPACER, '')) : null
  } catch {
    return null
  }
}

/** Returns the merged text, with markers around each conflict. Throws if git fails or is not installed. */
export function gitMerge({ base, edited, incoming }: ThreeTexts, flags: readonly string[] = []) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'pergola-merge-'))
  const files = Object.entries({ edited, base, incoming })
  for (const [name, text] of files) writeFileSync(join(folder.path, name), unix(text))
  const args = ['merge-file', '-p', '-q', ...flags, ...files.map(([name]) => name)]
  let conflicts = 0
  const isDone = (status: number) => {
    conflicts = status
    return status <= MOST_CONFLICTS
  }
  return { text: git(args, { cwd: folder.path, isDone }).toString(), conflicts }
}

// Up to 127, the exit code of `git merge-file` is the number of conflicts.
const MOST_CONFLICTS = 127

// Git reports a conflict if two changes are on adjacent lines, as new fields often are. A line between them prevents it.
const SPACE = '\u001F'
const SPACER = `${SPACE}\n`
const spaced = (text: string): string => unix(text).replaceAll('\n', `\n${SPACER}`)

/**
 * Returns whether the text can be written without other changes. False for mixed line ends, or a file that is not
 * UTF-8.
 */
export const canBeWrittenBack = (text: string): boolean =>
  !text.includes('\uFFFD') && !text.includes(SPACE) && asIn(text, text) === text
