import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unsafeMarkup } from 'pergola/testing'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'pergola-views-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('unsafeMarkup', () => {
  it('returns nothing for the views of the framework', () => {
    expect(unsafeMarkup(join(import.meta.dirname, '../views'))).toEqual([])
  })

  it('throws for a folder without views', () => {
    expect(() => unsafeMarkup(folder)).toThrow('has no views')
  })

  it.each([
    ['<a onclick="go()">', 'inline handler: onclick='],
    ['<p style="color: red">', 'inline style: style='],
    ['<script>go()</script>', 'inline script: <script'],
    ['<a hx-on:click="go()">', 'htmx handler or computed value: hx-on'],
    ['<a title=<%= it.title %>>', 'interpolation in an attribute without quotes: title=<%='],
    [
      '<%~ it.title %>',
      'raw output of anything but a partial, the body, a pager, list controls or a time: <%~',
    ],
  ])('reports %s', (markup, problem) => {
    writeFileSync(join(folder, 'page.eta'), markup)
    expect(unsafeMarkup(folder)).toEqual([`page.eta: ${problem}`])
  })

  it('accepts styles in mails only', () => {
    mkdirSync(join(folder, 'mails'), { recursive: true })
    for (const style of ['<p style="color: red">', '<style>p { color: red }</style>']) {
      writeFileSync(join(folder, 'page.eta'), '<p>')
      writeFileSync(join(folder, 'mails/page.eta'), style)
      expect(unsafeMarkup(folder)).toEqual([])
      writeFileSync(join(folder, 'page.eta'), style)
      expect(unsafeMarkup(folder)).toEqual([expect.stringMatching(/^page\.eta: inline style/)])
    }
  })

  it.each(['<script src="/app.js"></script>', "<%~ include('/partials/field') %>", '<%~ it.body %>'])(
    'accepts %s',
    (markup) => {
      writeFileSync(join(folder, 'page.eta'), markup)
      expect(unsafeMarkup(folder)).toEqual([])
    },
  )
})
