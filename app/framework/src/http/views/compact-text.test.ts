import { Eta } from 'eta'
import { describe, expect, it } from 'vitest'
import { compactText } from './compact-text.ts'

const eta = new Eta({ autoTrim: false })

describe('compactText', () => {
  it('removes the lines of tags, and keeps empty lines, indentation and line breaks after values', () => {
    const source = 'a\n\n  b <%= it.x %>\n<% if (it.x) { %>\nc\n<% } %>\n\nd <% if (it.x) { %>e<% } %>\nf'
    expect(eta.renderString(compactText(source), { x: 1 })).toBe('a\n\n  b 1\nc\n\nd e\nf')
    expect(eta.renderString(compactText('a\n  <% if (it.x) { %>\n  b\n  <% } %>\nc'), { x: 1 })).toBe(
      'a\n  b\nc',
    )
  })
})
