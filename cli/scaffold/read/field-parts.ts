import type { Part, Problems } from './command-line-problems.ts'

/** The parts of a field on the command line. */
export interface FieldParts {
  readonly token: string
  readonly name: Part
  /** `:string`, `:min(3)`, in order. */
  readonly words: readonly Word[]
  /** `?`, `!`, `^`. */
  readonly symbols: readonly Part[]
  /** The constraints, in braces or after a colon: `3..120`, `12,2`, `draft,published`. */
  readonly constraints: readonly Part[]
  readonly default: Part | null
}

/** A word after a colon, and its argument in parentheses. */
export interface Word extends Part {
  readonly argument: Part | null
}

const NAME = /[^:?!^={}()]*/y
/** The argument may contain parentheses, three levels deep. */
const WORD = /:([^:?!^={}()]*)(?:\(((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*)\))?/y
/** Constraints that need no braces after a colon: `3..120`, `draft,published`. */
const RANGE_OR_LIST = /,|\w\/\w|^-?[\w.]*\.\.-?[\w.]*$/
const BRACES = /\{([^{}]*)\}/y

/** Splits `name:type…` into its parts. Reports an unmatched brace or parenthesis and returns null. */
export function fieldParts(token: string, problems: Problems): FieldParts | null {
  const part = (at: number, text: string): Part => ({ token, at, text })
  const words: Word[] = []
  const symbols: Part[] = []
  const constraints: Part[] = []
  const name = part(0, match(NAME, token, 0)?.[0] ?? '')
  let at = name.text.length
  while (at < token.length && token[at] !== '=') {
    const word = match(WORD, token, at)
    const braces = match(BRACES, token, at)
    const symbol = /[?!^]/.test(token[at] ?? '')
    if (word) {
      const text = word[1] ?? ''
      const argument = word[2] === undefined ? null : part(at + text.length + 2, word[2])
      if (argument === null && RANGE_OR_LIST.test(text)) constraints.push(part(at + 1, text))
      else words.push({ ...part(at + 1, text), argument })
    } else if (braces) constraints.push(part(at + 1, braces[1] ?? ''))
    else if (symbol) symbols.push(part(at, token[at] ?? ''))
    else {
      problems.add(part(at, token.slice(at)), unexpected(token[at] ?? ''))
      return null
    }
    at += word?.[0].length ?? braces?.[0].length ?? 1
  }
  const defaultValue = at < token.length ? part(at + 1, token.slice(at + 1)) : null
  return { token, name, words, symbols, constraints, default: defaultValue }
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const unexpected = (character: string): string =>
  ({
    '{': "This brace is never closed. In most shells braces need quotes: write `'title:string{1..200}'`, or `title:string:1..200`.",
    '(': 'This parenthesis is never closed, or does not follow a word like :min.',
    '}': "This brace was never opened. In most shells braces need quotes: write `'title:string{1..200}'`, or `title:string:1..200`.",
    ')': 'This parenthesis was never opened.',
  })[character] ?? 'This character is not part of a field.'
