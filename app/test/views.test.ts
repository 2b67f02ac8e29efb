import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../views')
const views = globSync('**/*.eta', { cwd: root }).map(
  (file) => [file, readFileSync(join(root, file), 'utf8')] as const,
)

/** Code that a strict Content-Security-Policy blocks silently, and code that renders data unescaped. */
const FORBIDDEN: Record<string, RegExp> = {
  'an inline handler': /\son[a-z]+\s*=/i,
  'an inline style': /\sstyle\s*=/i,
  'an inline script or style element': /<style|<script(?![^>]*\ssrc=)/i,
  'an htmx handler or a computed value': /hx-on|\bjs:|javascript:/i,
  'an attribute without quotes around what is interpolated': /\s[\w:-]+=<%[=~]/,
  'raw output of anything but a partial, the body, a pager or list controls':
    /<%~(?!\s*(?:include\('|it\.body\b|it\.(?:paginationNav|cursorPaginationNav|pageInfo|pageSize|pageJump|loadMore|sortHeading|searchForm)\())/,
}

describe('views', () => {
  it('are found', () => {
    expect(views.length).toBeGreaterThan(10)
  })

  it.each(Object.entries(FORBIDDEN))('never contain %s', (_, pattern) => {
    const found = views.flatMap(([file, text]) =>
      pattern.test(text) ? [`${file}: ${pattern.exec(text)?.[0]}`] : [],
    )
    expect(found).toEqual([])
  })
})
