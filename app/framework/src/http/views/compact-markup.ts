/** A text of a view, as part of a JavaScript string in single quotes, or a tag such as `<% … %>` or `<%= … %>`. */
type Part = string | { readonly t: string; readonly val: string }

/**
 * Removes the whitespace of a view that only its author needs: indentation, empty lines, and the lines of `<% … %>` tags
 * that have a line of their own. A browser shows the same page, since each other line break remains, and all whitespace
 * between `<pre>` or `<textarea>` and its end in the same view.
 *
 * ```html
 * <ul>
 *   <% for (const name of it.names) { %>
 *   <li><%= name %></li>
 *   <% } %>
 * </ul>
 * ```
 *
 * With two names, this renders four lines without indentation. The values of tags don't change.
 */
export function compactMarkup(parts: readonly Part[]): Part[] {
  let isPreformatted = false
  const compact = (found: string) => {
    if (found.startsWith('<')) isPreformatted = !found.startsWith('</')
    return found.startsWith('\\n') && !isPreformatted ? '\\n' : found
  }
  return parts.map((part, index) => {
    if (typeof part !== 'string') return part
    const text = withoutCodeLines(parts, index, part)
    const isBelowCode = !isPreformatted && isCodeLine(parts, index - 1)
    return (isBelowCode ? text.replace(BLANK, '') : text).replace(MARKUP, compact)
  })
}

/** Removes the lines of `<% … %>` tags that have a line of their own. In plain text, other whitespace has a meaning. */
export const compactText = (parts: readonly Part[]): Part[] =>
  parts.map((part, index) => (typeof part === 'string' ? withoutCodeLines(parts, index, part) : part))

/** Returns a text without its part in the lines of the tags around it. */
function withoutCodeLines(parts: readonly Part[], index: number, text: string): string {
  const below = isCodeLine(parts, index - 1) ? text.replace(LINE_BREAK, '') : text
  return isCodeLine(parts, index + 1) ? below.replace(INDENTATION, '') : below
}

/** Returns whether a part is a `<% … %>` tag that has a line of its own. */
function isCodeLine(parts: readonly Part[], index: number): boolean {
  const after = parts[index + 1]
  return (
    isCode(parts[index]) && beginsLine(parts, index) && typeof after === 'string' && LINE_BREAK.test(after)
  )
}

const isCode = (part: Part | undefined): boolean => typeof part === 'object' && part.t === 'e'

/** Returns whether only indentation precedes a tag in its line. */
function beginsLine(parts: readonly Part[], index: number): boolean {
  const before = parts[index - 1]
  if (typeof before !== 'string') return before === undefined
  const isFirst = index === 1 && before.trim() === ''
  return isFirst || BEGINS_LINE.test(before.replace(/\\[\\']/g, ''))
}

const BEGINS_LINE = /\\n[ \t]*$/
const LINE_BREAK = /^[ \t]*\\n/
const INDENTATION = /[ \t]*$/
const BLANK = /^(?:[ \t]|\\n)*/

/**
 * An escaped character, a line break with the empty lines and the indentation that follow, or a tag of an element whose
 * whitespace browsers show.
 */
const MARKUP = /\\[\\']|\\n(?:[ \t]|\\n)*|<\/?(?:pre|textarea)(?![\w-])/gi
