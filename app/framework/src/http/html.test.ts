import { describe, expect, it } from 'vitest'
import { escapeHtml } from './html.ts'

describe('escapeHtml', () => {
  it('escapes the characters that could end a text or a quoted attribute', () => {
    expect(escapeHtml(`<a href="x" title='y'>\`&amp;</a>`)).toBe(
      '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&#96;&amp;amp;&lt;/a&gt;',
    )
  })

  it('returns an empty string for null and undefined', () => {
    expect([escapeHtml(null), escapeHtml(undefined)]).toEqual(['', ''])
  })

  it('returns other values as escaped text', () => {
    expect([0, false, 10n, '', { toString: () => '<b>' }].map(escapeHtml)).toEqual([
      '0',
      'false',
      '10',
      '',
      '&lt;b&gt;',
    ])
  })
})
