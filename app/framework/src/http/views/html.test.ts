import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeHtml } from './html.ts'

describe('escapeHtml', () => {
  it('escapes the characters that could end a text or a quoted attribute', () => {
    expect(escapeHtml(`<a href="x" title='y'>\`&amp;</a>`)).toBe(
      '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&#96;&amp;amp;&lt;/a&gt;',
    )
  })

  it('escapes each unsafe character of any text, and changes no other', () => {
    const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' }
    const unit = fc.oneof(
      fc.constantFrom(...Object.keys(entities)),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const expected = Object.entries(entities).reduce(
          (html, [from, to]) => html.replaceAll(from, to),
          text,
        )
        expect(escapeHtml(text)).toBe(expected)
      }),
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
