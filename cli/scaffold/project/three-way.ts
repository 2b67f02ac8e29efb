import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asIn, unix } from './text.ts'

/** A text, and the two that became of it. */
export interface ThreeTexts {
  readonly base: string
  readonly edited: string
  readonly wanted: string
}

/** The edited text with what the wanted one has of its own; null where both changed the same lines, or there is no git. */
export function mergeOf({ base, edited, wanted }: ThreeTexts): string | null {
  if (!canBeWrittenBack(edited)) return null
  const folder = mkdtempSync(join(tmpdir(), 'pergola-merge-'))
  try {
    const texts = Object.entries({ edited, base, wanted })
    for (const [name, text] of texts) writeFileSync(join(folder, name), spaced(unix(text)))
    const words = ['merge-file', '-p', '-q', ...texts.map(([name]) => name)]
    const { status, stdout } = spawnSync('git', words, { cwd: folder, encoding: 'utf8' })
    return status === 0 ? asIn(edited, stdout.replaceAll(SPACER, '')) : null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

// Git takes changes of lines that touch for a conflict; a new field's line nearly always touches the one before it.
const SPACE = '\u001F'
const SPACER = `${SPACE}\n`
const spaced = (text: string): string => text.replaceAll('\n', `\n${SPACER}`)

/** Not of bytes that aren't UTF-8, nor with both ends of lines: reading it has lost something. */
const canBeWrittenBack = (text: string): boolean =>
  !text.includes('\uFFFD') && !text.includes(SPACE) && asIn(text, text) === text
