import type { Tag, ViewSource } from '../view-source.ts'

/** Also of a tag that Eta can't find the end of. */
export const UNCLOSED =
  'This tag is not closed: %> is missing, or a quotation mark is missing or stands in a string, a comment or a regular expression.'

/** A mistake in a view. `start` is its index in the source. */
export interface Mistake {
  readonly start: number
  readonly message: string
}

/**
 * Returns the tag that is not closed, or whose brackets don't match, or null. TypeScript reports such a mistake at the end of the view. Call it for
 * views with a syntax error: the search doesn't know regular expressions.
 */
export function unbalanced({ source, parts }: ViewSource): Mistake | null {
  const tags = parts.filter((part) => part !== null)
  return tags.map(inTag).find((problem) => problem !== null) ?? inBlocks(source, tags)
}

function inTag({ kind, code, start }: Tag): Mistake | null {
  const text = withoutTexts(code)
  if (text.includes('<%')) return { start, message: UNCLOSED }
  if (code.startsWith('#')) return { start, message: 'A comment is a tag with a comment: <% /* … */ %>.' }
  const mistake = kind === 'code' ? undefined : IN_VALUES.find(([pattern]) => pattern.test(code))
  if (mistake !== undefined) return { start, message: mistake[1] }
  if (kind !== 'code' && PAIRS.some(([open, close]) => countOf(text, open) !== countOf(text, close)))
    return { start, message: 'The parentheses or braces of this tag don’t match.' }
  if (kind === 'code' && OPENS_NOTHING.test(text)) return { start, message: 'This tag must end with {.' }
  return null
}

const PAIRS = [
  ['(', ')'],
  ['{', '}'],
] as const

/** Mistakes in tags that print a value. */
const IN_VALUES: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:if|for|while|else|const|let|return)\b|^\}/,
    'This tag prints a value. A statement belongs in <% … %>.',
  ],
  [/;\s*$/, 'This tag prints a value, which ends without a semicolon.'],
  [/(?:^|\s)\/\/[^\n]*$/, 'This comment hides the end of the tag: write /* … */.'],
]

const OPENS_NOTHING = /^\s*(?:\}\s*)?(?:else|(?:else\s+)?(?:if|for|while)\s*\([^{]*\))\s*$/

function inBlocks(source: string, tags: readonly Tag[]): Mistake | null {
  const indentAt = (index: number) => /(?:^|\n)([ \t]*)<%[-_]?[^\n]*$/.exec(source.slice(0, index))?.[1]
  const open: Bracket[] = []
  // A block whose end has another indentation is probably the one that is not closed.
  let indented: Bracket | undefined
  for (const bracket of tags.filter(({ kind }) => kind === 'code').flatMap((tag) => bracketsIn(tag))) {
    const { character, start } = bracket
    if ('({'.includes(character)) {
      open.push(bracket)
      continue
    }
    const begin = open.pop()
    if (begin === undefined) return { start, message: `This ${character} closes no block.` }
    if ((begin.character === '(') !== (character === ')')) return notClosed(begin)
    if (indentAt(begin.start) !== indentAt(start)) indented ??= begin
  }
  const [first] = open
  return first === undefined ? null : notClosed(indented ?? first)
}

const notClosed = ({ character, start }: Bracket): Mistake => ({
  start,
  message: `This block is not closed: ${character === '(' ? '<% }) %>' : '<% } %>'} is missing.`,
})

interface Bracket {
  readonly character: string
  readonly start: number
}

/** Returns the brackets in a tag, without those in its texts. `start` is their index in the source. */
export const bracketsIn = ({ code, start }: Tag, pattern = /[(){}]/g): Bracket[] =>
  [...withoutTexts(code).matchAll(pattern)].map(({ 0: character, index }) => ({
    character,
    start: start + index,
  }))

/** Replaces strings and comments by spaces, so that all indices stay. */
const withoutTexts = (code: string): string =>
  code.replaceAll(
    /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\*[^]*?\*\/|\/\/[^\n]*/g,
    (text) => text.replaceAll(/[^\n]/g, ' '),
  )

const countOf = (text: string, character: string): number => text.split(character).length - 1
