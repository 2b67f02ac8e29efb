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

  it.each([
    ['a\n<% if (it.x) { -%>\nb\n<% } -%>\nc', 'a\nb\nc'],
    ['a\n<% if (it.x) { _%>\n b\n<% } %>\nc', 'a\nb\nc'],
    ['a\n<% = it.x %>\nc', 'a\n1\nc'],
    ['a\n<%-= it.x %>\nc', 'a1\nc'],
    ['a\n<%_~ it.x %>\nc', 'a1\nc'],
  ])('leaves values and tags that trim as they are: %j', (source, text) => {
    expect(eta.renderString(compactText(source), { x: 1 })).toBe(text)
  })
})
