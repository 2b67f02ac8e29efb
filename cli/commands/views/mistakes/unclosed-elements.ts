import type { ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

const COMMENT_OR_TAG = /<!--[^]*?-->|<%(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[^])*?%>/g

const ATTRIBUTE = String.raw`[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>]+))?`
const ELEMENT = new RegExp(String.raw`<[a-z][\w-]*(?:\s+|/|${ATTRIBUTE})*>`, 'iy')

/** Returns the elements of a view with an attribute that is not closed: `<a href="/posts>`. */
export function unclosedElements({ source }: ViewSource): Mistake[] {
  // Letters in place of tags can be values, attributes and texts.
  const html = source.replaceAll(COMMENT_OR_TAG, (text) => 'x'.repeat(text.length))
  return [...html.matchAll(/<[a-z]/gi)].flatMap(({ index }) => {
    ELEMENT.lastIndex = index
    return ELEMENT.test(html) ? [] : { start: index, message: UNCLOSED_ELEMENT }
  })
}

const UNCLOSED_ELEMENT = 'A quotation mark or > of this element is missing.'
