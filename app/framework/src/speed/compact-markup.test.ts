import { Eta } from 'eta'
import { describe, expect, it } from 'vitest'
import { compactMarkup } from './compact-markup.ts'

const eta = new Eta({ autoTrim: false })
const render = (source: string, data = {}) => eta.renderString(compactMarkup(source), data)

describe('compactMarkup', () => {
  it('removes indentation, and keeps line breaks', () => {
    expect(render('<p>\n\n    one\n\t two  three\n</p>\n')).toBe('<p>\n\none\ntwo  three\n</p>\n')
  })

  it('removes the lines of tags that have a line of their own', () => {
    const source =
      '<%\n  // A comment.\n%>\n<b>\n  <% if (it.x) { %>  \n  yes\n  <% } else { %>\n  no\n  <% } %>\n</b>'
    expect(render(source, { x: true })).toBe('<b>\nyes\n</b>')
    expect(render(source)).toBe('<b>\nno\n</b>')
  })

  it('keeps the whitespace between tags that share a line', () => {
    expect(render('<% if (it.x) { %>A<% } %>\n  <% if (it.x) { %>B<% } %>\n', { x: true })).toBe('A\nB\n')
    expect(render('a <% if (it.x) { %>\n b <% } %> c', { x: true })).toBe('a \nb  c')
    expect(render('<% %> <% %>\nb')).toBe(' \nb')
  })

  it('keeps a line break after a value', () => {
    expect(render('<b>\n  <%= it.x %>\n  <%~ it.x %>\n</b>', { x: 1 })).toBe('<b>\n1\n1\n</b>')
  })

  it('keeps the line break that begins a text area, and the whitespace of values', () => {
    expect(render('  <textarea>\n<%= it.x %></textarea>', { x: '\n\n  a' })).toBe(
      '  <textarea>\n\n\n  a</textarea>',
    )
  })

  it.each(['pre', 'textarea', 'PRE'])('keeps the indentation of %s', (name) => {
    const source = `<div>\n  <${name} class="a">one\n\n    two\n\tthree</${name}>\n  <b>\n</div>`
    expect(render(source)).toBe(`<div>\n<${name} class="a">one\n\n    two\n\tthree</${name}>\n<b>\n</div>`)
    expect(render(`<${name}-x>\n  a`)).toBe(`<${name}-x>\na`)
  })

  it('removes the lines of tags in pre, and keeps the whitespace of the others', () => {
    const source =
      '<pre<%~ it.a %>>\n  <% for (const x of it.xs) { %>\n  - <%= x %>\n\n  <% } %>\n    end\n</pre>\n  <i>'
    expect(render(source, { a: ' id="x"', xs: [1, 2] })).toBe(
      '<pre id="x">\n  - 1\n\n  - 2\n\n    end\n</pre>\n<i>',
    )
  })

  it('keeps backslashes, and quotes', () => {
    expect(render("a\\n  b\\\n  c 'd'\n<% %>\n\\n<% %>\n")).toBe("a\\n  b\\\nc 'd'\n\\n\n")
  })

  it.each([
    ['<pre>\n  a\n</pre >\n  <b>', '<pre>\n  a\n</pre >\n<b>'],
    ['<textarea>\n  a</textarea\n>\n  <b>', '<textarea>\n  a</textarea\n>\n<b>'],
    ['<pre>\n  <%= it.x %>\n  closed by another view', '<pre>\n  1\n  closed by another view'],
    ["<pre>\n  <%~ '</pre>' %>\n   a\n</pre>\n  <b>", '<pre>\n  </pre>\n   a\n</pre>\n<b>'],
  ])('keeps the whitespace of elements with another end: %j', (source, html) => {
    expect(render(source, { x: 1 })).toBe(html)
  })
})
