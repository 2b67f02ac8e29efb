import type { ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

const COMMENT_OR_TAG = /<!--[^]*?-->|<%(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[^])*?%>/g

const ATTRIBUTE = String.raw`[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>]+))?`
const ELEMENT = new RegExp(String.raw`<\/?[a-z][\w-]*(?:\s+|/|${ATTRIBUTE})*>`, 'iy')

/** Returns the HTML of a view. Letters in place of comments and tags can be values, attributes and texts. */
export const htmlOf = ({ source }: ViewSource): string =>
  source.replaceAll(COMMENT_OR_TAG, (text) => 'x'.repeat(text.length))

/** Returns the start tag or end tag at an index, or an empty text if an attribute is not closed. */
export function tagAt(html: string, index: number): string {
  ELEMENT.lastIndex = index
  return ELEMENT.exec(html)?.[0] ?? ''
}

/** Returns the elements of a view with an attribute that is not closed: `<a href="/posts>`, and the ends of tags that don't begin. */
export function unclosedElements(view: ViewSource): Mistake[] {
  const html = htmlOf(view)
  return [
    ...[...html.matchAll(/%>/g)].map(({ index: start }) => ({ start, message: 'This %> ends no tag.' })),
    ...[...html.matchAll(/<[a-z]/gi)].flatMap(({ index: start }) =>
      tagAt(html, start) === ''
        ? { start, message: 'A quotation mark or > of this element is missing.' }
        : [],
    ),
    ...[...html.matchAll(/<[a-z]/gi)].flatMap(({ index }) => handlerIn(tagAt(html, index), index)),
  ]
}

/** Returns the first attribute with a script. */
function handlerIn(tag: string, index: number): Mistake[] {
  const at = tag
    .replaceAll(/"[^"]*"|'[^']*'/g, (text) => 'x'.repeat(text.length))
    .search(/(?<=\s)on[a-z]+\s*=/i)
  return at === -1 ? [] : [{ start: index + at, message: HANDLER }]
}

const HANDLER = 'The Content-Security-Policy blocks this attribute. Put the code into public/app.js.'
