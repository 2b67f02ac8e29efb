/** A text of a view, as part of a JavaScript string in single quotes, or a tag such as `<% … %>` or `<%= … %>`. */
type Part = string | { readonly t: string; readonly val: string }

/**
 * Removes the whitespace of a view that only its author needs: indentation, empty lines, and the lines of `<% … %>` tags
 * that have a line of their own. A browser shows the same page, since each other line break remains.
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
  return parts.map((part, index) => {
    if (typeof part !== 'string') return part
    return (isAfterLine(parts, index) ? part.replace(ENDS_LINE, '') : part).replace(ESCAPES, compact)
  })
}

/** Removes the lines of `<% … %>` tags that have a line of their own. In plain text, other whitespace has a meaning. */
export function compactText(parts: readonly Part[]): Part[] {
  return parts.map((part, index) =>
    typeof part === 'string' && isAfterLine(parts, index) ? part.replace(LINE_BREAK, '') : part,
  )
}

/** Returns whether a text follows a `<% … %>` tag that has a line of its own. */
function isAfterLine(parts: readonly Part[], index: number): boolean {
  const part = parts[index]
  return (
    typeof part === 'string' &&
    isCode(parts[index - 1]) &&
    beginsLine(parts, index - 1) &&
    ENDS_LINE.test(part)
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
const ENDS_LINE = /^[ \t]*\\n(?:[ \t]|\\n)*/

/** An escaped character, or a line break with the empty lines and the indentation that follow. */
const ESCAPES = /\\[\\']|\\n(?:[ \t]|\\n)*/g
const compact = (escape: string) => (escape.startsWith('\\n') ? '\\n' : escape)
