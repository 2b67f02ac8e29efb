import MarkdownIt from 'markdown-it'
import { html, type Html } from 'pergola/views'
import sanitize from 'sanitize-html'

declare module 'pergola/views' {
  interface ViewContext {
    /** Returns a text in Markdown as safe HTML: `include('/partials/markdown', { body: it.markdown(post.body) })`. */
    readonly markdown: (text: string) => Html
  }
}

// It stops at a hundred levels of nesting, and its time grows with the length of the text.
const parser = new MarkdownIt({ html: true, linkify: true })
// The list below decides about links.
parser.validateLink = () => true

/** Headings begin at the third level: the page and its sections have the first two. */
const HEADINGS = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6' }

const BLOCKS = 'h3 h4 h5 h6 p blockquote pre hr ul ol li table thead tbody tr th td'.split(' ')
const INLINE = 'a br code del em img s strong'.split(' ')

const ALLOWED: sanitize.IOptions = {
  allowedTags: [...BLOCKS, ...INLINE],
  allowedAttributes: { a: ['href', 'title', 'rel'], img: ['src', 'alt', 'title', 'loading'], ol: ['start'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  transformTags: {
    ...HEADINGS,
    // Search engines don't rate links of users.
    a: sanitize.simpleTransform('a', { rel: 'nofollow ugc noopener' }),
    img: sanitize.simpleTransform('img', { loading: 'lazy' }),
  },
  // The Content-Security-Policy blocks the pictures of other sites, which would learn who reads a page.
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !/^\/(?![/\\])/.test(attribs['src'] ?? ''),
}

/** The HTML of the texts that this process rendered last, by the texts: a new version of a record has another text. */
export const renderedTexts = new Map<string, Html>()
const MOST = 200

/** Returns a text in Markdown as safe HTML. */
export function markdown(text: string): Html {
  const rendered = renderedTexts.get(text) ?? html(sanitize(parser.render(text), ALLOWED))
  renderedTexts.delete(text)
  renderedTexts.set(text, rendered)
  const [oldest = ''] = renderedTexts.keys()
  if (renderedTexts.size > MOST) renderedTexts.delete(oldest)
  return rendered
}
