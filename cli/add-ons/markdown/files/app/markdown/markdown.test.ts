import { describe, expect, it } from 'vitest'
import { markdown, renderedTexts } from './markdown.ts'

const rendered = (text: string) => String(markdown(text)).trim()

describe('markdown', () => {
  it.each([
    ['**bold** and _em_', '<p><strong>bold</strong> and <em>em</em></p>'],
    ['# Title\n\n## Part', '<h3>Title</h3>\n<h4>Part</h4>'],
    ['- one\n- two', '<ul>\n<li>one</li>\n<li>two</li>\n</ul>'],
    ['[a](https://example.org)', '<p><a href="https://example.org" rel="nofollow ugc noopener">a</a></p>'],
    ['![x](/pictures/x.png)', '<p><img src="/pictures/x.png" alt="x" loading="lazy" /></p>'],
    ['`<b>`', '<p><code>&lt;b&gt;</code></p>'],
  ])('renders %j', (text, expected) => {
    expect(rendered(text)).toBe(expected)
  })

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<img src="//example.org/x.png">',
    '<img src="/\\example.org/x.png">',
    '![x](https://example.org/x.png)',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt&colon;alert(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '<a href="javascript:alert(1)" onclick="alert(1)">x</a>',
    '<svg onload=alert(1)><style>*{}</style></svg>',
    '<iframe src="/"></iframe><form action="/logout"><button>x</button></form>',
    '<p style="position:fixed" class="flash" id="status" hx-get="/logout">x</p>',
    '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  ])('removes what could run, style or load in %j', (text) => {
    const result = rendered(text)
    expect(result).not.toMatch(/<(?:script|svg|style|iframe|form|button|math)/i)
    expect(result).not.toMatch(/\s(?:on\w+|style|class|id|hx-\w+)=/i)
    expect(result).not.toMatch(/javascript:|data:|example\.org\/x/i)
  })

  it.each(['>', '> ', '1. ', '- ', '* * ', '**', '_a*', '_*a', '___a_ ', '~_a ', '**_a ', '[', '![', '<em>'])(
    'renders a long text of %j without an error, however deep it nests',
    (part) => {
      expect(rendered(part.repeat(20_000 / part.length))).not.toBe('')
    },
  )

  it('renders each of many texts, and keeps the last 200', () => {
    for (const round of [1, 2])
      for (let n = 0; n < 300; n++)
        expect([round, rendered(`text ${n}`)]).toEqual([round, `<p>text ${n}</p>`])
    expect(renderedTexts.size).toBe(200)
    expect(renderedTexts.has('text 100') && !renderedTexts.has('text 99')).toBe(true)
  })
})
