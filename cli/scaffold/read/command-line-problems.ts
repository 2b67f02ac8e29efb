import { Exit, EXIT } from '../../exit.ts'

/** A mistake in a word of the command line. The message suggests what to write instead. */
export interface Problem {
  readonly token: string
  /** The position and length of the mistake in the word. */
  readonly at: number
  readonly length: number
  readonly message: string
}

/** A part of a word of the command line, and its position. */
export interface Part {
  readonly token: string
  readonly at: number
  readonly text: string
}

export const wholeOf = (token: string): Part => ({ token, at: 0, text: token })

/** Collects mistakes, so that the command reports all of them. */
export class Problems {
  readonly list: Problem[] = []

  add({ token, at, text }: Part, message: string): void {
    this.list.push({ token, at, length: text.length, message })
  }

  /** Returns the first part, or null. Reports all other parts as repetitions. */
  once(parts: readonly Part[]): Part | null {
    for (const more of parts.slice(1)) this.add(more, 'This repeats an earlier part. Write it once.')
    return parts[0] ?? null
  }

  /** Throws if there are any problems. */
  raise(): void {
    if (this.list.length > 0) throw new WrongCommandLine(this.list)
  }
}

/** The error with all problems of the command line. It is thrown before any file is written. */
export class WrongCommandLine extends Exit {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(EXIT.usage, `${problems.map(described).join('\n\n')}\n\nNo files were written.`)
    this.problems = problems
  }
}

function described({ token, at, length, message }: Problem): string {
  const before = visible(token.slice(0, at))
  const marked = visible(token.slice(at, at + length))
  const caret = ' '.repeat(widthOf(before)) + '^'.repeat(Math.max(1, widthOf(marked)))
  return [`  ${visible(token) || "''"}`, `  ${caret}`, message].join('\n')
}

// Counts a wide character as one column, so the marker can be too short.
const widthOf = (text: string): number => Array.from(text).length

/** Replaces invisible characters, and those that change the direction of text, with their number. */
const visible = (text: string): string =>
  text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{M}]/gu, (character) => {
    const number = character.codePointAt(0) ?? 0
    return `\\u{${number.toString(16)}}`
  })
