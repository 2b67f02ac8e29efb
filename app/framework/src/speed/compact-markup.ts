import { compactText } from '../http/views/compact-text.ts'

/** A tag, or an element whose whitespace browsers show. */
const KEPT =
  /(<%[^]*?%>|<(?:pre|textarea)(?![\w-])(?:<%[^]*?%>|(?!<\/(?:pre|textarea)\s*>)[^])*(?:<\/(?:pre|textarea)\s*>|$))/i

/**
 * Removes the whitespace of a view that only its author needs: also indentation. A browser shows the same page, since
 * each other line break remains, and all whitespace in `<pre>` and `<textarea>`. The values of tags don't change.
 */
export const compactMarkup = (source: string): string =>
  compactText(
    source
      .split(KEPT)
      .map((part, index) => (index % 2 === 0 ? part.replace(/\n[ \t]+/g, '\n') : part))
      .join(''),
  )
