import { Exit, EXIT } from '../../exit.ts'

/** What is wrong with a word of the command line, and what to write instead. */
export interface Problem {
  readonly token: string
  /** Where in the token, and over how many characters. */
  readonly at: number
  readonly length: number
  readonly message: string
}

/** A part of a word of the command line, which knows where it stands. */
export interface Part {
  readonly token: string
  readonly at: number
  readonly text: string
}

export const wholeOf = (token: string): Part => ({ token, at: 0, text: token })

/** Collects what is wrong, so that all of it is said at once. */
export class Problems {
  readonly found: Problem[] = []

  add({ token, at, text }: Part, message: string): void {
    this.found.push({ token, at, length: text.length, message })
  }

  /** The first of these, null without one. Whoever says a thing twice may have meant the other: it is told. */
  once(parts: readonly Part[]): Part | null {
    for (const more of parts.slice(1)) this.add(more, 'This is said already: write it once.')
    return parts[0] ?? null
  }

  /** Throws what was found, if anything was. */
  raise(): void {
    if (this.found.length > 0) throw new WrongCommandLine(this.found)
  }
}

/** Ends the command with every problem of its line; nothing was written. */
export class WrongCommandLine extends Exit {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(EXIT.usage, `${problems.map(described).join('\n\n')}\n\nNothing is written.`)
    this.problems = problems
  }
}

function described({ token, at, length, message }: Problem): string {
  const before = visible(token.slice(0, at))
  const marked = visible(token.slice(at, at + length))
  const caret = ' '.repeat(widthOf(before)) + '^'.repeat(Math.max(1, widthOf(marked)))
  return [`  ${visible(token) || "''"}`, `  ${caret}`, message].join('\n')
}

// A character outside the basic plane counts as one column too many at most: the caret still begins in its place.
const widthOf = (text: string): number => Array.from(text).length

/** Text as it can be shown: what can't be seen, or would turn the line around, by its number. */
export const visible = (text: string): string =>
  text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{M}]/gu, (character) => {
    const number = character.codePointAt(0) ?? 0
    return `\\u{${number.toString(16)}}`
  })
