import { readFileSync } from 'node:fs'
import { Eta } from 'eta'

/** A tag of a view. `code` begins at the index `start` of the source. */
export interface Tag {
  readonly kind: 'code' | 'text' | 'markup'
  readonly code: string
  readonly start: number
}

/** Returns whether the code of a tag is a value that nothing prints: `post.title`, `include('/partials/icon', …)`. */
export const isUnprinted = (code: string): boolean =>
  /^(?:[\w$]+(?:\??\.[\w$]+)*|(?:include|it(?:\.\w+)+)\([^;]*\))$/.test(code.trim()) &&
  !KEYWORDS.has(code.trim())

const KEYWORDS = new Set(['else', 'break', 'continue', 'return', 'debugger'])

/** The comments at the beginning of a view that declare its data. */
export interface Declaration {
  /** What `@import` tags import: `{ Post } from '#app/posts/post.ts'`. */
  readonly imports: readonly { readonly text: string; readonly start: number }[]
  /** The type in the `@type` tag. Null for a view that declares no data. */
  readonly type: { readonly text: string; readonly start: number } | null
}

export interface ViewSource {
  readonly source: string
  /** The tags and texts in their order; null is a text. */
  readonly parts: readonly (Tag | null)[]
  readonly declaration: Declaration
}

/** Returns the text of a view; empty for one that doesn't exist. */
export type SourceOf = (view: string) => string

const KINDS = { e: 'code', i: 'text', r: 'markup' } as const
const OPEN = /<%[-_]?\s*[=~]?\s*/g

const parser = new Eta({ autoTrim: false })

/** Reads a view. Throws Eta's error for a tag that is not closed. */
export function readView(file: string): ViewSource {
  const source = readFileSync(file, 'utf8')
  const parts: (Tag | null)[] = []
  let end = 0
  for (const part of parser.parse(source)) {
    if (typeof part === 'string') {
      parts.push(null)
      continue
    }
    // Eta returns the code of a tag without its position.
    OPEN.lastIndex = end
    const open = OPEN.exec(source)
    const start = open === null ? end : open.index + open[0].length
    end = start + part.val.length
    parts.push({ kind: KINDS[part.t as keyof typeof KINDS], code: part.val, start })
  }
  const [first] = parts.filter((part) => part !== null)
  if (first?.kind !== 'code') return { source, parts, declaration: { imports: [], type: null } }
  const { length, ...declaration } = readDeclaration(first)
  const rest = { ...first, code: first.code.slice(length), start: first.start + length }
  return { source, parts: parts.map((part) => (part === first ? rest : part)), declaration }
}

const COMMENT = /\s*(?:\/\/[^\n]*(?:\n|$)|\/\*[^]*?\*\/)/y

/**
 * Returns the declaration in the comments that a tag begins with, and their length. It ends with the first `@type`: what
 * follows may be the type of a variable.
 */
function readDeclaration({ code, start }: Tag): Declaration & { length: number } {
  let comments = ''
  COMMENT.lastIndex = 0
  while (!comments.includes('@type')) {
    const [comment] = COMMENT.exec(code) ?? []
    if (comment === undefined) break
    comments += comment
  }
  if (!/@(?:type|import)\b/.test(comments)) comments = ''
  const imports = [...comments.matchAll(/@import\s+([^]+?)\s*(?=\*\/|\n[\s*]*@)/g)]
  const type = /@type\s*\{/.exec(comments)
  const begin = type === null ? 0 : type.index + type[0].length
  return {
    imports: imports.map(({ 0: tag, 1: text = '', index }) => ({
      text,
      start: start + index + tag.indexOf(text),
    })),
    type: type && {
      text: withoutStars(comments.slice(begin, closingBrace(comments, begin))),
      start: start + begin,
    },
    length: comments.length,
  }
}

/** Returns the index of the brace that closes the one before `begin`. */
function closingBrace(text: string, begin: number): number {
  let open = 1
  for (let index = begin; index < text.length; index++) {
    if (text[index] === '{') open++
    else if (text[index] === '}' && --open === 0) return index
  }
  return text.length
}

/** Removes the stars at the beginnings of a comment's lines. The columns stay. */
const withoutStars = (text: string) => text.replace(/(\n[ \t]*)\*/g, '$1 ')
